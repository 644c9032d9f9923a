/**
 * A JSON Schema as a part of a document. References to places in it count from the start of the document there, so they
 * name its place. `$id` would make them count from elsewhere, and what dialect it is, the document says.
 */
export function placeSchema(schema: object, place: string): object {
  const { $schema: _, $id: __, ...rest } = schema as Readonly<Record<string, unknown>>
  return placeReferences(rest, place) as object
}

function placeReferences(value: unknown, place: string): unknown {
  return mapMembers(value, (item, name) => {
    if (name === '$ref' && typeof item === 'string') return placeReference(item, place)
    if (holdsData.has(name)) return item
    if (holdsSchemas.has(name)) return mapMembers(item, (each) => placeReferences(each, place))
    return placeReferences(item, place)
  })
}

/** Of a list, or of an object with their names. */
function mapMembers(value: unknown, change: (item: unknown, name: string) => unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => change(item, ''))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, change(item, name)]))
}

function placeReference(reference: string, place: string): string {
  return reference.startsWith('#') ? `${place}${reference.slice(1)}` : reference
}

/** What is below these is a body, or a part of one, and no schema. */
const holdsData: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples'])

/** What is below these has names of its author, such as a field that is called `default`. */
const holdsSchemas: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  'dependentSchemas',
  'dependencies',
  'definitions',
  '$defs',
])
