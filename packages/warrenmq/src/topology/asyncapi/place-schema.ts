import type { JsonSchema } from './read-payload.ts'

/**
 * A JSON Schema as a part of a document. References to places in it count from the start of the document there, so they
 * name its place. `$id` would make them count from elsewhere, and what dialect it is, the document says.
 */
export function placeSchema(schema: JsonSchema, place: string): JsonSchema {
  const { $schema: _, $id: __, ...rest } = schema
  return placeReferences(rest, place) as JsonSchema
}

function placeReferences(value: unknown, place: string): unknown {
  if (Array.isArray(value)) return value.map((item) => placeReferences(item, place))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      name === '$ref' && typeof item === 'string'
        ? placeReference(item, place)
        : holdsData.has(name)
          ? item
          : placeReferences(item, place),
    ]),
  )
}

function placeReference(reference: string, place: string): string {
  return reference.startsWith('#') ? `${place}${reference.slice(1)}` : reference
}

/** What is below these is a body, or a part of one, and no schema. */
const holdsData: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples'])
