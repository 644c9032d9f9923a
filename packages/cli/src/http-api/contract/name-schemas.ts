import { toldOf } from './schema.ts'

type Json = Readonly<Record<string, unknown>>

/** Writes schemas for a document, and keeps those that have a title, for others to refer to. */
export interface SchemaNames {
  readonly schemas: Readonly<Record<string, Json>>
  write(schema: unknown): Json
}

export function nameSchemas(): SchemaNames {
  const schemas: Record<string, Json> = {}

  function write(schema: unknown): Json {
    const { title, ...rest } = toldOf(schema as never) as Json
    const written = Object.fromEntries(
      Object.entries(rest).flatMap(([word, value]) => writeWord(word, value)),
    )
    return typeof title === 'string' ? refer(title, written) : written
  }

  function writeWord(word: string, value: unknown): readonly (readonly [string, unknown])[] {
    switch (word) {
      case 'properties':
        return [
          [
            word,
            Object.fromEntries(Object.entries(value as Json).map(([name, each]) => [name, write(each)])),
          ],
        ]
      case 'items':
        return [[word, write(value)]]
      case 'anyOf':
        return [[word, (value as readonly unknown[]).map(write)]]
      case 'patternProperties': // of a record: any name
        return [['additionalProperties', write(Object.values(value as Json)[0])]]
      case 'additionalProperties': // what is not said is allowed anyway
        return value === true ? [] : [[word, value]]
      case 'style':
      case 'explode': // of a parameter, and not of its schema
        return []
      default:
        return [[word, value]]
    }
  }

  function refer(title: string, written: Json): Json {
    const known = schemas[title]
    if (known && JSON.stringify(known) !== JSON.stringify(written))
      throw new Error(`Two schemas have the title ${title}. Give one of them another.`)
    schemas[title] = written
    return { $ref: `#/components/schemas/${title}` }
  }

  return { schemas, write }
}
