import type { FieldTable, FieldValue } from '../../../wire/field-value.ts'
import { decodeProperties, encodeProperties } from '../../../wire/properties.ts'
import { decodeHeaders } from '../message/decode-headers.ts'
import type { Death, DeathRules, Message } from '../message/message.ts'
import { integerOf, lookUp, setSorted, sortTable, textField, textOf } from '../message/terms.ts'

/** Up to 3.12 the history is the x-death header and nothing else, whoever wrote it. */
export const deathInHeader: DeathRules = { record, isCycle }

function record(message: Message, death: Death): Message {
  const properties = decodeProperties(message.properties)
  const headers = properties.headers ? decodeHeaders(properties.headers) : []
  const entry = describeDeath(message, death, headers, death.isFromDisk ? undefined : properties.expiration)
  const withDeath = addDeath(headers, entry)
  const { expiration: _, ...kept } = properties
  return {
    ...message,
    exchange: death.deadLetterExchange,
    routingKeys:
      death.deadLetterRoutingKey === undefined ? message.routingKeys : [death.deadLetterRoutingKey],
    properties: encodeProperties({
      ...kept,
      headers:
        death.deadLetterRoutingKey === undefined ? withDeath : withDeath.filter(({ name }) => name !== 'CC'),
    }),
    expirationMs: undefined,
  }
}

function describeDeath(
  message: Message,
  death: Death,
  headers: FieldTable,
  expiration: string | undefined,
): FieldTable {
  const keys = [message.routingKeys[0]!, ...carbonCopies(headers)]
  return [
    { name: 'reason', value: textField(death.reason) },
    { name: 'queue', value: textField(death.queue) },
    { name: 'time', value: { type: 'T', value: BigInt(Math.floor(death.atMs / 1000)) } },
    { name: 'exchange', value: textField(message.exchange) },
    { name: 'routing-keys', value: { type: 'A', value: keys.map(textField) } },
    ...(expiration === undefined ? [] : [{ name: 'original-expiration', value: textField(expiration) }]),
  ]
}

function carbonCopies(headers: FieldTable): readonly string[] {
  const copies = lookUp(headers, 'CC')
  return copies?.type === 'A' ? copies.value.flatMap((key) => textOf(key) ?? []) : []
}

function addDeath(headers: FieldTable, entry: FieldTable): FieldTable {
  const known = lookUp(headers, 'x-death')
  if (!known) return addFirstDeath(headers, entry)
  if (known.type !== 'A') return setDeaths(headers, [{ type: 'F', value: withCount(entry, 1n) }])
  const grouped = groupByQueueAndReason(known.value)
  const same = grouped.find((item) => isSameDeath(item, entry))
  const others = grouped.filter((item) => !isSameDeath(item, entry))
  const newest = same?.type === 'F' ? countOneMore(same.value) : withCount(entry, 1n)
  return setDeaths(headers, [{ type: 'F', value: sortTable(newest) }, ...others])
}

function addFirstDeath(headers: FieldTable, entry: FieldTable): FieldTable {
  const named = ['reason', 'queue', 'exchange'].map((name) => ({
    name: `x-first-death-${name}`,
    value: lookUp(entry, name)!,
  }))
  return setDeaths(setSorted(headers, named), [{ type: 'F', value: withCount(entry, 1n) }])
}

function setDeaths(headers: FieldTable, deaths: readonly FieldValue[]): FieldTable {
  return setSorted(headers, [{ name: 'x-death', value: { type: 'A', value: deaths } }])
}

function withCount(entry: FieldTable, count: bigint): FieldTable {
  return [{ name: 'count', value: { type: 'l', value: count } }, ...entry]
}

function countOneMore(entry: FieldTable): FieldTable {
  const at = entry.findIndex(({ name }) => name === 'count')
  if (at === -1) return withCount(entry, 1n)
  const count = BigInt(integerOf(entry[at]!.value) ?? 0) + 1n
  return entry.with(at, { name: 'count', value: { type: 'l', value: count } })
}

/**
 * One entry per queue and reason. With two or more the order comes out reversed but for the first: RabbitMQ
 * collects them by putting each new one in front. Long chains are misjudged because of it, and so here.
 */
function groupByQueueAndReason(items: readonly FieldValue[]): readonly FieldValue[] {
  if (items.length < 2) return items
  const grouped: FieldValue[] = []
  for (const item of items) {
    if (item.type !== 'F' || grouped.some((seen) => isSameDeath(seen, item.value))) continue
    const count = items.filter((other) => isSameDeath(other, item.value)).length
    const hasCount = lookUp(item.value, 'count') !== undefined
    grouped.unshift(hasCount ? item : { type: 'F', value: withCount(item.value, BigInt(count)) })
  }
  return grouped
}

function isSameDeath(item: FieldValue, entry: FieldTable): boolean {
  return (
    item.type === 'F' &&
    ['queue', 'reason'].every((name) => textOf(lookUp(item.value, name)) === textOf(lookUp(entry, name)))
  )
}

function isCycle(message: Message, targetQueue: string): boolean {
  const { headers } = decodeProperties(message.properties)
  const deaths = headers && lookUp(decodeHeaders(headers), 'x-death')
  if (deaths?.type !== 'A') return false
  const at = deaths.value.findIndex((item) => readText(item, 'queue') === targetQueue)
  // Whatever is no table was put there by a client, so the round was not fully automatic.
  return (
    at !== -1 &&
    deaths.value
      .slice(0, at + 1)
      .every((item) => item.type === 'F' && readText(item, 'reason') !== 'rejected')
  )
}

function readText(item: FieldValue, name: string): string | undefined {
  return item.type === 'F' ? textOf(lookUp(item.value, name)) : undefined
}
