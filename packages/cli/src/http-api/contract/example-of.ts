import { toldOf } from './schema.ts'

interface Written {
  readonly examples?: readonly unknown[]
  readonly enum?: readonly unknown[]
  readonly type?: string
  readonly anyOf?: readonly Written[]
  readonly items?: Written
  readonly properties?: Readonly<Record<string, Written>>
}

/** A value of a schema, put together from the examples of its fields. Undefined where one of them has none. */
export function exampleOf(schema: unknown): unknown {
  const { examples, anyOf, items, properties, type, enum: names } = toldOf(schema as never) as Written
  if (examples) return examples[0]
  if (names) return names[0]
  if (anyOf) return exampleOf(anyOf[0])
  if (type === 'array') return [exampleOf(items)]
  if (properties)
    return Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, exampleOf(field)]))
  return undefined
}
