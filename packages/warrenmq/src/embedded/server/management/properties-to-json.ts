import { decodeShownTable } from '../../../wire/decode-table.ts'
import {
  decodeProperties,
  encodeProperties,
  type PropertiesInput,
  type RawProperties,
} from '../../../wire/properties.ts'
import type { Json, JsonObject } from './api-request.ts'
import { jsonToTable, tableToJson } from './field-to-json.ts'

/** The names that the HTTP API uses for the properties of a message. */
const names = {
  content_type: 'contentType',
  content_encoding: 'contentEncoding',
  delivery_mode: 'deliveryMode',
  priority: 'priority',
  correlation_id: 'correlationId',
  reply_to: 'replyTo',
  expiration: 'expiration',
  message_id: 'messageId',
  timestamp: 'timestamp',
  type: 'type',
  user_id: 'userId',
  app_id: 'appId',
  cluster_id: 'clusterId',
} as const

/** No properties are an empty list there, not an empty object. */
export function propertiesToJson(raw: RawProperties): Json {
  const properties = decodeProperties(raw)
  const shown: Record<string, Json> = {}
  for (const [shownName, name] of Object.entries(names)) {
    const value = properties[name]
    if (value !== undefined) shown[shownName] = typeof value === 'bigint' ? Number(value) : value
  }
  if (properties.headers) shown.headers = tableToJson(decodeShownTable(properties.headers))
  return Object.keys(shown).length === 0 ? [] : shown
}

export function jsonToProperties(json: JsonObject): RawProperties {
  const properties: Record<string, unknown> = {}
  for (const [shownName, name] of Object.entries(names)) {
    const value = json[shownName]
    if (value === undefined || value === null) continue
    properties[name] = name === 'timestamp' ? BigInt(Number(value)) : value
  }
  const headers = json.headers
  if (typeof headers === 'object' && headers !== null && !Array.isArray(headers)) {
    properties.headers = jsonToTable(headers as JsonObject)
  }
  return encodeProperties(properties as PropertiesInput)
}
