// Makes the JSON Schemas of requests from their TypeScript types: names, limits and descriptions are written once.
import { execFileSync } from 'node:child_process'
import ts from 'typescript'

export const requestSchemasFile = 'packages/warrenmq/src/recovery/request/request-schemas.ts'

const source = 'packages/warrenmq/src/recovery/request/requests.ts'
const requests = [
  'PeekRequest',
  'CausesRequest',
  'RedriveRequest',
  'BackupRequest',
  'DiscardRequest',
  'RestoreRequest',
]

/** The text of the module that exports one schema per request. */
export function renderRequestSchemas() {
  const program = ts.createProgram([source], {
    strict: true,
    module: ts.ModuleKind.NodeNext,
    allowImportingTsExtensions: true,
    noEmit: true,
  })
  const checker = program.getTypeChecker()
  const file = program.getSourceFile(source)
  const exported = new Map(
    checker.getExportsOfModule(checker.getSymbolAtLocation(file)).map((symbol) => [symbol.name, symbol]),
  )
  const constants = requests.map((name) => {
    const symbol = exported.get(name)
    const schema = { title: name, ...objectSchema(checker.getDeclaredTypeOfSymbol(symbol), symbol) }
    return `/** What a \`${name}\` may say, as JSON Schema. */\nexport const ${name[0].toLowerCase()}${name.slice(1)}Schema: RequestSchema<${name}> = ${JSON.stringify(schema, null, 2)}\n`
  })
  const head = `// Made from requests.ts by \`npm run generate\`; edit that.\nimport type { RequestSchema } from './request-schema.ts'\nimport type { ${requests.toSorted().join(', ')} } from './requests.ts'\n`
  return formatted([head, ...constants].join('\n'))

  function objectSchema(type, symbol) {
    // As they stand in the file: what a request shares with others comes first.
    const properties = checker
      .getPropertiesOfType(type)
      .sort((left, right) => left.valueDeclaration.pos - right.valueDeclaration.pos)
    return {
      type: 'object',
      description: textOf(symbol),
      properties: Object.fromEntries(properties.map((each) => [each.name, propertySchema(each)])),
      required: properties.filter(({ flags }) => !(flags & ts.SymbolFlags.Optional)).map(({ name }) => name),
      additionalProperties: false,
      ...exampleOf(symbol),
    }
  }

  function exampleOf(symbol) {
    const tag = symbol.getJsDocTags(checker).find(({ name }) => name === 'example')
    return tag ? { examples: [JSON.parse(ts.displayPartsToString(tag.text))] } : {}
  }

  function propertySchema(symbol) {
    const { type: node } = symbol.valueDeclaration
    const tags = Object.fromEntries(
      symbol.getJsDocTags(checker).map((tag) => [tag.name, ts.displayPartsToString(tag.text)]),
    )
    const { default: preset, example } = tags
    const schema = typeSchema(node, tags)
    return {
      ...schema,
      description: textOf(symbol),
      ...(preset !== undefined && { default: readValue(preset, schema) }),
      ...(example !== undefined && { examples: [readValue(example, schema)] }),
    }
  }

  function typeSchema(node, tags) {
    if (ts.isTypeReferenceNode(node) && node.typeName.getText(file) === 'Duration') return durationSchema
    if (ts.isTypeReferenceNode(node) && node.typeName.getText(file) === 'Readonly')
      return { type: 'object', ...limits(tags, ['maxProperties']), additionalProperties: true }
    if (ts.isTypeReferenceNode(node)) {
      const symbol = checker.getSymbolAtLocation(node.typeName)
      return objectSchema(checker.getDeclaredTypeOfSymbol(symbol), symbol)
    }
    if (ts.isTypeOperatorNode(node) && ts.isArrayTypeNode(node.type)) {
      const items = typeSchema(node.type.elementType, tags)
      return { type: 'array', ...limits(tags, ['minItems', 'maxItems']), items }
    }
    if (ts.isUnionTypeNode(node)) return unionSchema(node.types, tags)
    if (node.kind === ts.SyntaxKind.BooleanKeyword) return { type: 'boolean' }
    if (node.kind === ts.SyntaxKind.NumberKeyword)
      return { type: 'integer' in tags ? 'integer' : 'number', ...limits(tags, ['minimum', 'maximum']) }
    return { type: 'string', ...limits(tags, ['minLength', 'maxLength']), ...pattern(tags) }
  }

  function unionSchema(types, tags) {
    const isText = (node) => ts.isLiteralTypeNode(node) && ts.isStringLiteral(node.literal)
    const words = types.filter(isText).map(({ literal }) => literal.text)
    if (words.length === types.length) return { type: 'string', enum: words }
    // A union with all text in it, such as `'origin' | (string & {})`, is text; the words are for editors.
    const others = types.filter((each) => !isText(each)).map((each) => typeSchema(each, tags))
    return { anyOf: others }
  }

  function textOf(symbol) {
    return ts.displayPartsToString(symbol.getDocumentationComment(checker)).replaceAll('\n', ' ')
  }
}

const durationSchema = {
  anyOf: [
    { type: 'integer', minimum: 0 },
    { type: 'string', pattern: '^([0-9]+(\\.[0-9]+)?(ms|[dhms]))+$' },
  ],
}

function limits(tags, names) {
  return Object.fromEntries(names.filter((name) => name in tags).map((name) => [name, Number(tags[name])]))
}

function pattern(tags) {
  return 'pattern' in tags ? { pattern: tags.pattern } : {}
}

/** A tag is text; what it means depends on what it is of. */
function readValue(text, { type, anyOf = [] }) {
  const isNumber = [type, ...anyOf.map((each) => each.type)].some(
    (each) => each === 'integer' || each === 'number',
  )
  if (type === 'boolean') return text === 'true'
  if (type === 'object' || type === 'array') return JSON.parse(text)
  return isNumber && /^\d+$/.test(text) ? Number(text) : text
}

/** As the formatter of this repository writes it. */
function formatted(input) {
  const program = 'node_modules/@biomejs/biome/bin/biome'
  return execFileSync(process.execPath, [program, 'format', `--stdin-file-path=${requestSchemasFile}`], {
    input,
    encoding: 'utf8',
  })
}
