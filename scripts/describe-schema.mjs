// Gives every property of the config's JSON Schema the sentence that TypeScript shows for it. What a setting means is
// written once, beside its type. A setting that only one of the two has is a mistake, and ends the program.
import ts from 'typescript'

/** `schema`: that of the config; `declarations`: the built declarations of `CompiledTopology`, which holds a config. */
export function describeSchema(schema, declarations) {
  const program = ts.createProgram([declarations], { strict: true, types: [] })
  const checker = program.getTypeChecker()
  const file = checker.getSymbolAtLocation(program.getSourceFile(declarations))
  const compiled = checker.getExportsOfModule(file).find(({ name }) => name === 'CompiledTopology')
  const holder = checker.getDeclaredTypeOfSymbol(compiled)
  const config = checker.getTypeOfSymbol(checker.getPropertyOfType(holder, 'declaration'))
  const copy = structuredClone(schema)
  describe({ schema: copy, type: config, path: 'config' }, { checker, root: copy, seen: new Set() })
  return copy
}

function describe({ schema, type, path }, context) {
  const { checker, root, seen } = context
  if (schema.$ref) {
    const name = schema.$ref.replace('#/definitions/', '')
    if (seen.has(name)) return
    seen.add(name)
    describe({ schema: root.definitions[name], type, path }, context)
    return
  }
  for (const choice of schema.anyOf ?? []) describe({ schema: choice, type, path }, context)
  const types = partsOf(type)
  if (schema.items) {
    const list = types.find((each) => checker.isArrayType(each))
    if (!list) throw new Error(`${path} is a list in the schema, and none in TypeScript.`)
    describe({ schema: schema.items, type: checker.getTypeArguments(list)[0], path: `${path}[]` }, context)
  }
  const values = schema.additionalProperties ?? Object.values(schema.patternProperties ?? {})[0]
  const ofNames = types.map((each) => checker.getIndexTypeOfType(each, ts.IndexKind.String)).find(Boolean)
  if (values && ofNames) describe({ schema: values, type: ofNames, path: `${path}.*` }, context)
  if (schema.properties) describeProperties({ schema, types, path }, context)
}

function describeProperties({ schema, types, path }, context) {
  const { checker } = context
  const owner = types.find((each) => isRecordOfSettings(each, checker))
  const properties = owner ? checker.getPropertiesOfType(owner) : []
  const typed = new Map(properties.map((property) => [property.name, property]))
  const strangers = [
    ...Object.keys(schema.properties).filter((name) => !typed.has(name)),
    ...[...typed.keys()].filter((name) => !(name in schema.properties)),
  ]
  if (strangers.length > 0)
    throw new Error(`${path}: only the JSON Schema or only TypeScript has ${strangers.join(', ')}.`)
  for (const [name, each] of Object.entries(schema.properties)) {
    const property = typed.get(name)
    describe({ schema: each, type: checker.getTypeOfSymbol(property), path: `${path}.${name}` }, context)
    // An object of its own, because several properties may share one.
    schema.properties[name] = { ...each, description: sentenceFor(property, checker) }
  }
}

/** Not the text, number or list that may stand in its place. */
function isRecordOfSettings(type, checker) {
  const isObject = (type.flags & ts.TypeFlags.Object) !== 0 && !checker.isArrayType(type)
  return isObject && !checker.getIndexTypeOfType(type, ts.IndexKind.String)
}

function partsOf(type) {
  return type.isUnion() ? type.types : [type]
}

function sentenceFor(property, checker) {
  const text = ts.displayPartsToString(property.getDocumentationComment(checker)).replace(/\s+/g, ' ').trim()
  const preset = property.getJsDocTags(checker).find(({ name }) => name === 'default')
  const words = preset && ts.displayPartsToString(preset.text).replace(/\s+/g, ' ').trim()
  return [text, words && `Default: ${words}`].filter(Boolean).join(' ')
}
