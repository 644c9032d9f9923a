import type { FieldTable, FieldValue } from '../../wire/field-value.ts'
import { decodeProperties, encodeProperties } from '../../wire/properties.ts'
import { decodeTable } from '../../wire/read-field.ts'
import { setSorted } from './field-terms.ts'
import type { Death, DeathRecord, DeathRules, Message } from './message.ts'

/** From 4.0 on the broker keeps the history itself; what a client sends as x-death is only shown. */
export const deathHistory: DeathRules = { record, isCycle }

function record(message: Message, death: Death): Message {
  const deaths = addDeath(message, death)
  const properties = decodeProperties(message.properties)
  const { expiration: _, ...kept } = properties
  const headers = properties.headers ? decodeTable(properties.headers) : []
  return {
    ...message,
    exchange: death.deadLetterExchange,
    routingKeys:
      death.deadLetterRoutingKey === undefined ? message.routingKeys : [death.deadLetterRoutingKey],
    properties: encodeProperties({ ...kept, headers: showDeaths(headers, { message, deaths, death }) }),
    expirationMs: undefined,
    deaths,
  }
}

function addDeath(message: Message, death: Death): readonly DeathRecord[] {
  const known = message.deaths.find((record) => isSame(record, death))
  if (known) {
    return [{ ...known, count: known.count + 1 }, ...message.deaths.filter((record) => record !== known)]
  }
  const newest: DeathRecord = {
    queue: death.queue,
    reason: death.reason,
    count: 1,
    firstAtMs: death.atMs,
    exchange: message.exchange,
    routingKeys: withoutBcc(message),
    originalExpirationMs: message.expirationMs,
  }
  return [newest, ...message.deaths]
}

/** Each BCC key is taken out once, so a key that is in CC as well stays. */
function withoutBcc(message: Message): readonly string[] {
  const keys = [...message.routingKeys]
  for (const key of message.bccKeys) {
    const at = keys.indexOf(key)
    if (at !== -1) keys.splice(at, 1)
  }
  return keys
}

function isSame(record: DeathRecord, death: Death): boolean {
  return record.queue === death.queue && record.reason === death.reason
}

function showDeaths(
  headers: FieldTable,
  { message, deaths, death }: { message: Message; deaths: readonly DeathRecord[]; death: Death },
): FieldTable {
  const firstDeath = message.deaths.length === 0 ? describeDeath('first', death, message) : []
  return setSorted(headers, [
    ...firstDeath,
    ...describeDeath('last', death, message),
    { name: 'x-death', value: { type: 'A', value: deaths.map(renderDeath) } },
  ])
}

function describeDeath(which: 'first' | 'last', death: Death, message: Message): FieldTable {
  return [
    { name: `x-${which}-death-reason`, value: text(death.reason) },
    { name: `x-${which}-death-queue`, value: text(death.queue) },
    { name: `x-${which}-death-exchange`, value: text(message.exchange) },
  ]
}

function renderDeath(death: DeathRecord): FieldValue {
  const expiration = death.originalExpirationMs
  return {
    type: 'F',
    value: [
      ...(expiration === undefined ? [] : [{ name: 'original-expiration', value: text(String(expiration)) }]),
      { name: 'count', value: { type: 'l', value: BigInt(death.count) } },
      { name: 'reason', value: text(death.reason) },
      { name: 'queue', value: text(death.queue) },
      { name: 'time', value: { type: 'T', value: BigInt(Math.floor(death.firstAtMs / 1000)) } },
      { name: 'exchange', value: text(death.exchange) },
      { name: 'routing-keys', value: { type: 'A', value: death.routingKeys.map(text) } },
    ],
  }
}

function isCycle(message: Message, targetQueue: string): boolean {
  const at = message.deaths.findIndex((death) => death.queue === targetQueue)
  return at !== -1 && message.deaths.slice(0, at + 1).every((death) => death.reason !== 'rejected')
}

function text(value: string): FieldValue {
  return { type: 'S', value }
}
