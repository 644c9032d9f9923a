import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { OldSessionEvents, SessionEvents } from '../broker/amqp/session-events.ts'
import type { Consumer } from './consumer.ts'
import type { ConsumerOptions } from './consumer-options.ts'
import type { Outcome } from './decide/decide-outcome.ts'
import type { ConsumerEvents, DeliveryEvent } from './observe/consumer-events.ts'
import type { SettledOutcome } from './settle/settlement.ts'

// The compiler sees to it that each of these names all that the type has, and nothing else.
type Names<Type> = Readonly<Record<keyof Type & string, true>>
type FieldsOf<Events, Common> = {
  readonly [Name in keyof Events & string]: Names<Omit<Events[Name], keyof Common>>
}

const consumerEvents: FieldsOf<ConsumerEvents, DeliveryEvent> = {
  'consumer.started': {},
  'consumer.interrupted': { error: true },
  'consumer.start-failed': { error: true },
  'consumer.unproved': { error: true },
  'consumer.limited': { deliveryLimit: true },
  'consumer.paused': {},
  'consumer.resumed': {},
  'consumer.closed': { unfinished: true },
  'delivery.settled': { outcome: true, durationMs: true },
  'delivery.held': { outcome: true },
  'delivery.stale': { outcome: true },
  'delivery.remembered': {},
  'settle.failed': { outcome: true, result: true, nextAttemptMs: true },
  'breaker.changed': { from: true, to: true },
}

const sessionEvents: FieldsOf<Omit<SessionEvents, keyof OldSessionEvents>, object> = {
  'connection.opened': { endpoint: true, product: true, version: true },
  'connection.lost': { error: true, nextAttemptMs: true },
  'connection.failed': { error: true, nextAttemptMs: true },
  'connection.blocked': { reason: true },
  'connection.unblocked': {},
  'channel.opened': { channel: true },
  'channel.lost': { channel: true, error: true },
  'channel.failed': { channel: true, error: true, nextAttemptMs: true },
}

const outcomeKinds: Readonly<Record<(Outcome | SettledOutcome)['kind'], true>> = {
  acknowledge: true,
  retry: true,
  hold: true,
  defer: true,
  requeue: true,
  'dead-letter': true,
  recount: true,
  'give-back': true,
}

const options: Names<ConsumerOptions> = {
  concurrency: true,
  prefetch: true,
  orderBy: true,
  timeout: true,
  ackTimeout: true,
  holdUpTo: true,
  retryJitter: true,
  statusTable: true,
  poisonLimit: true,
  deliveryLimit: true,
  requireProof: true,
  breaker: true,
  decode: true,
  schema: true,
  dedupe: true,
  middleware: true,
  service: true,
  host: true,
  tracing: true,
  priority: true,
  exclusive: true,
  streamOffset: true,
  clock: true,
  random: true,
}

const members: Names<Consumer> = {
  queue: true,
  events: true,
  counts: true,
  breaker: true,
  whenStarted: true,
  close: true,
  pause: true,
  resume: true,
  isPaused: true,
  isStarted: true,
}

/** The rows of a page: the names in the first column, and all that is named in the last. */
function readRows(page: string, heading: string) {
  const text = readFileSync(new URL(`../../../../docs/reference/${page}`, import.meta.url), 'utf8')
  const section = text.split(/^## /m).find((each) => each.startsWith(heading))!
  const rows = [...section.matchAll(/^\| (`.+)\|$/gm)].map(([, row]) => row!.split(/(?<!\\)\|/))
  return rows.map((cells) => ({ names: namesIn(cells[0]!), last: cells.at(-1)! }))
}

/** What stands in code, without what is said of it after a colon. */
const namesIn = (cell: string) => [...cell.matchAll(/`([\w.-]+)(?:\(.*?\))?`/g)].map(([, name]) => name!)
const fieldsIn = (cell: string) => namesIn(cell.replaceAll(/: (?:(?!, `\w+`(?:,|:|$)).)+/g, ''))

describe('the reference of events', () => {
  it.each([
    ['Consumer events', consumerEvents],
    ['Connection events', sessionEvents],
  ] as const)('has every event and its fields: %s', (heading, events) => {
    const told = readRows('events.md', heading).map(({ names, last }) => [names[0], fieldsIn(last.trim())])
    const wanted = Object.entries(events).map(([name, fields]) => [name, Object.keys(fields)])
    expect(Object.fromEntries(told)).toEqual(Object.fromEntries(wanted))
  })

  it('has every outcome', () => {
    const text = readFileSync(new URL('../../../../docs/reference/events.md', import.meta.url), 'utf8')
    const sentence = /`outcome\.kind` is one of (.+?);/s.exec(text)![1]!
    expect(namesIn(sentence).toSorted()).toEqual(Object.keys(outcomeKinds).toSorted())
  })
})

describe('the reference of consumers', () => {
  it.each([
    ['Options', options],
    ['Members', members],
  ] as const)('has each of its names: %s', (heading, names) => {
    const told = readRows('consumer.md', heading).flatMap((row) => row.names)
    expect(told.toSorted()).toEqual(Object.keys(names).toSorted())
  })
})
