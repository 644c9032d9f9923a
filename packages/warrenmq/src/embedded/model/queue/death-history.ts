import type { FieldTable, FieldValue } from '../../../wire/field-value.ts'
import { decodeProperties, encodeProperties, type RawProperties } from '../../../wire/properties.ts'
import { decodeHeaders } from '../message/decode-headers.ts'
import type { Death, DeathRecord, DeathRules, Message } from '../message/message.ts'
import { setSorted, textField } from '../message/terms.ts'

/** From 4.0 on the broker keeps the history itself; what a client sends as x-death is only shown. */
export const deathHistory: DeathRules = { record, isCycle }

function record(message: Message, death: Death): Message {
  const deaths = addDeath(message, death)
  const { deadLetterRoutingKey } = death
  const before = message.properties
  const isFirst = message.deaths.length === 0
  const { exchange } = message
  let shown: RawProperties | undefined
  return {
    exchange: death.deadLetterExchange,
    routingKeys: deadLetterRoutingKey === undefined ? message.routingKeys : [deadLetterRoutingKey],
    bccKeys: message.bccKeys,
    // Written when somebody looks: many a message dies on its way to where it is read, or is never read.
    get properties() {
      shown ??= showDeaths(before, { deaths, death, diedFrom: exchange, isFirst })
      return shown
    },
    body: message.body,
    bodyBytes: message.bodyBytes,
    propertiesBytes: message.propertiesBytes,
    isPersistent: message.isPersistent,
    priority: message.priority,
    expirationMs: undefined,
    deaths,
    carriedDeliveryCount: message.carriedDeliveryCount,
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

interface ShownDeaths {
  readonly deaths: readonly DeathRecord[]
  /** The newest. */
  readonly death: Death
  /** The exchange it had come through. */
  readonly diedFrom: string
  readonly isFirst: boolean
}

function showDeaths(raw: RawProperties, { deaths, death, diedFrom, isFirst }: ShownDeaths): RawProperties {
  const { expiration: _, ...kept } = decodeProperties(raw)
  const headers = setSorted(kept.headers ? decodeHeaders(kept.headers) : [], [
    ...(isFirst ? describeDeath('first', death, diedFrom) : []),
    ...describeDeath('last', death, diedFrom),
    { name: 'x-death', value: { type: 'A', value: deaths.map(renderDeath) } },
  ])
  return encodeProperties({ ...kept, headers })
}

function describeDeath(which: 'first' | 'last', { reason, queue }: Death, exchange: string): FieldTable {
  return [
    { name: `x-${which}-death-reason`, value: textField(reason) },
    { name: `x-${which}-death-queue`, value: textField(queue) },
    { name: `x-${which}-death-exchange`, value: textField(exchange) },
  ]
}

function renderDeath(death: DeathRecord): FieldValue {
  const expiration = death.originalExpirationMs
  return {
    type: 'F',
    value: [
      ...(expiration === undefined
        ? []
        : [{ name: 'original-expiration', value: textField(String(expiration)) }]),
      { name: 'count', value: { type: 'l', value: BigInt(death.count) } },
      { name: 'reason', value: textField(death.reason) },
      { name: 'queue', value: textField(death.queue) },
      { name: 'time', value: { type: 'T', value: BigInt(Math.floor(death.firstAtMs / 1000)) } },
      { name: 'exchange', value: textField(death.exchange) },
      { name: 'routing-keys', value: { type: 'A', value: death.routingKeys.map(textField) } },
    ],
  }
}

function isCycle(message: Message, targetQueue: string): boolean {
  const at = message.deaths.findIndex((death) => death.queue === targetQueue)
  return at !== -1 && message.deaths.slice(0, at + 1).every((death) => death.reason !== 'rejected')
}
