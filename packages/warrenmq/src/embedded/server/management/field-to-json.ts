import type { FieldTable, FieldValue } from '../../../wire/field-value.ts'
import type { Json, JsonObject } from './api-request.ts'

/** A field table as RabbitMQ's HTTP API shows it. */
export function tableToJson(table: FieldTable): JsonObject {
  return Object.fromEntries(table.map(({ name, value }) => [name, fieldToJson(value)]))
}

export function fieldToJson(field: FieldValue): Json {
  switch (field.type) {
    case 'l':
    case 'T':
      return Number(field.value)
    case 'S':
    case 'x':
      return typeof field.value === 'string' ? field.value : field.value.toString('utf8')
    case 'A':
      return field.value.map(fieldToJson)
    case 'F':
      return tableToJson(field.value)
    case 'D':
      return field.value.unscaled / 10 ** field.value.scale
    default:
      return field.value
  }
}

/** The other way: whole numbers become int64, as there is no telling what was meant. */
export function jsonToTable(json: JsonObject): FieldTable {
  return Object.entries(json).flatMap(([name, value]) =>
    value === undefined ? [] : [{ name, value: jsonToField(value) }],
  )
}

function jsonToField(json: Json): FieldValue {
  if (json === null) return { type: 'V', value: null }
  if (typeof json === 'string') return { type: 'S', value: json }
  if (typeof json === 'boolean') return { type: 't', value: json }
  if (typeof json === 'number') {
    return Number.isInteger(json) ? { type: 'l', value: BigInt(json) } : { type: 'd', value: json }
  }
  if (Array.isArray(json)) return { type: 'A', value: (json as readonly Json[]).map(jsonToField) }
  return { type: 'F', value: jsonToTable(json as JsonObject) }
}
