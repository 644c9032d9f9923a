import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type PlainTable, typed } from '../../packages/warrenmq/src/wire/plain-fields.ts'
import { sharedBroker } from '../support/shared-broker.ts'
import { createVhost } from '../support/use-broker.ts'
import { judgeProgram } from './check-program.ts'
import { type Lane, openLane } from './lane.ts'
import { profileOf } from './profile-of.ts'
import type { Operation, Program } from './program.ts'
import { renderDifference } from './render-difference.ts'
import { createTurns } from './turns.ts'

const profile = profileOf(sharedBroker().version)

function declare(queue: string, args: PlainTable = {}): Operation {
  const flags = { durable: true, exclusive: false, autoDelete: false, passive: false }
  return { do: 'declare-queue', on: 'a1', queue, ...flags, arguments: args }
}

function publish(properties: Extract<Operation, { do: 'publish' }>['properties'], key = 'q1'): Operation {
  return { do: 'publish', on: 'a1', exchange: '', key, mandatory: true, bodyBytes: 4, properties }
}

const get = (queue: string): Operation => ({ do: 'get', on: 'b1', queue, noAck: false })

function settle(how: 'ack' | 'nack' | 'reject', requeue = false): Operation {
  return { do: 'settle', on: 'b1', how, which: 0, multiple: false, requeue }
}

/** The queue `q1`, whose dead letters go to `q2`. */
function withDeadLetters(type: string, more: PlainTable = {}): Program {
  const toQ2 = { 'x-dead-letter-exchange': '', 'x-dead-letter-routing-key': 'q2' }
  return [declare('q1', { 'x-queue-type': type, ...toQ2, ...more }), declare('q2', { 'x-queue-type': type })]
}

/** Publishes, looks at the message, rejects it, and looks at the dead letter. */
function dieOnce(type: string, headers: PlainTable): Program {
  return [...withDeadLetters(type), publish({ headers }), get('q1'), settle('reject'), get('q2')]
}

const earlier = {
  count: typed({ type: 'l', value: 3n }),
  reason: 'rejected',
  queue: 'q1',
  time: new Date(1_600_000_000_000),
  exchange: 'shop',
  'routing-keys': ['order.placed'],
}
const elsewhere = { ...earlier, reason: 'expired', queue: 'q3', count: typed({ type: 'l', value: 1n }) }

/** A program, and what of it must have been seen, lest it be the same because nothing happened. */
interface Case {
  readonly program: Program
  readonly sees: string
}

const cases: Record<string, Case> = {}

for (const type of ['classic', 'quorum']) {
  Object.assign(cases, {
    [`an x-death of a client that names this queue and reason (${type})`]: {
      program: dieOnce(type, { 'x-death': [earlier] }),
      sees: `["count",{"type":"l","value":"${profile === '3.10' ? 4 : 1}"}]`,
    },
    [`an x-death of a client that names another queue (${type})`]: {
      program: dieOnce(type, { 'x-death': [elsewhere] }),
      sees: 'x-death',
    },
    [`an x-death of a client with several entries, one of them twice (${type})`]: {
      program: dieOnce(type, { 'x-death': [elsewhere, earlier, earlier] }),
      sees: 'x-death',
    },
    [`an x-death of a client without a count (${type})`]: {
      program: dieOnce(type, { 'x-death': [{ queue: 'q1', reason: 'rejected' }] }),
      sees: 'x-death',
    },
    [`an x-death of a client that is no list (${type})`]: {
      program: dieOnce(type, { 'x-death': 'yesterday' }),
      sees: 'x-death',
    },
    [`an x-death of a client that makes a return a cycle (${type})`]: {
      program: [
        ...withDeadLetters(type, { 'x-message-ttl': 200 }),
        publish({ headers: { 'x-death': [{ ...elsewhere, queue: 'q2' }] } }),
        { do: 'wait', ms: 400 },
        get('q2'),
      ],
      sees: profile === '3.10' ? 'basic.get-empty' : 'x-death',
    },
    [`an x-delivery-count of a client, and what becomes of it when the message comes back (${type})`]: {
      program: [
        declare('q1', { 'x-queue-type': type }),
        publish({ headers: { 'x-delivery-count': 7, 'x-acquired-count': 9 } }),
        ...[get('q1'), settle('reject', true), get('q1'), settle('nack', true), get('q1')],
      ],
      sees: 'x-delivery-count',
    },
    [`death headers of a client that are no history (${type})`]: {
      program: dieOnce(type, { 'x-first-death-queue': 'made-up', 'x-last-death-reason': 'made-up' }),
      sees: 'made-up',
    },
    [`a connection that its client closes, with messages it has not settled (${type})`]: {
      program: [
        declare('q1', { 'x-queue-type': type }),
        ...[publish({}), publish({}), publish({})],
        ...[get('q1'), get('q1'), { do: 'close-connection', on: 'b1' } as const],
        ...[get('q1'), get('q1'), get('q1'), get('q1')],
      ],
      sees: 'basic.get-empty',
    },
    [`a connection that its client closes while it consumes (${type})`]: {
      program: [
        declare('q1', { 'x-queue-type': type }),
        ...[publish({}), publish({})],
        { do: 'consume', on: 'b1', queue: 'q1', tag: 't', noAck: false, exclusive: false, arguments: {} },
        { do: 'close-connection', on: 'b1' },
        ...[publish({}), get('q1'), get('q1'), get('q1'), get('q1')],
      ],
      sees: 'connection.close-ok',
    },
  } satisfies Record<string, Case>)
}

const refused: Readonly<Record<string, Extract<Operation, { do: 'publish' }>['properties']>> = {
  'a user-id of another': { userId: 'somebody' },
  'an expiration that is no number': { expiration: 'soon' },
  'an expiration with a unit': { expiration: '10s' },
  'an expiration below nought': { expiration: '-1' },
  'an expiration with a fraction': { expiration: '1.5' },
  'an expiration of more than ten years': { expiration: '315360000001' },
  'an empty expiration': { expiration: '' },
  'an expiration with a quote and a backslash': { expiration: '5"\\' },
  'a CC that is a text': { headers: { CC: 'q1' } },
  'a CC that is a number': { headers: { CC: 5 } },
  'a BCC that is a table': { headers: { BCC: { a: 1 } } },
}
for (const [title, properties] of Object.entries(refused)) {
  cases[title] = { program: [declare('q1'), publish(properties), get('q1')], sees: '406' }
}

const oddities: typeof refused = {
  'the user-id of the client itself': { userId: sharedBroker().username },
  'a plus before the expiration': { expiration: '+60000' },
  'noughts before the expiration': { expiration: '0060000' },
  'a CC with things in it that are no text': { headers: { CC: ['q2', 5, true] } },
  'a delivery mode of nought': { deliveryMode: 0 },
  'delivery mode 7': { deliveryMode: 7 },
}
for (const [title, properties] of Object.entries(oddities)) {
  const program = [declare('q1'), declare('q2'), publish(properties), get('q1'), get('q2')]
  cases[title] = { program, sees: 'basic.get' }
}

describe.skipIf(!profile)('what random programs do not send is answered as by RabbitMQ', () => {
  let vhost: Awaited<ReturnType<typeof createVhost>>
  let lane: Lane
  beforeAll(async () => {
    vhost = await createVhost()
    lane = await openLane(vhost, profile!, createTurns(1))
  })
  afterAll(async () => {
    await lane?.close()
    await vhost?.drop()
  })

  test.each(Object.entries(cases))('%s', async (_, { program, sees }) => {
    const verdict = await judgeProgram(program, lane)
    const seen = Object.values(lane.onEmbedded.observe()).flat().join('\n')

    expect(verdict.kind, renderDifference(program, verdict)).toBe('same')
    expect(seen).toContain(sees)
  })
})
