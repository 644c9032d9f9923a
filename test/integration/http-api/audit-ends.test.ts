import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { InjectOptions } from 'fastify'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openAuditLog } from '../../../packages/cli/src/http-api/audit/audit-log.ts'
import type { AuditEntry } from '../../../packages/cli/src/http-api/audit/audit-record.ts'
import { readRange } from '../../../packages/cli/src/http-api/audit/read-range.ts'
import type {
  Discarded,
  OpenedSession,
  Problem,
  TopologyPlan,
} from '../../../packages/cli/src/http-api/contract/contract.ts'
import { Session } from '../../../packages/warrenmq/src/broker/amqp/session.ts'
import { type EmbeddedBroker, startEmbeddedBroker } from '../../../packages/warrenmq/src/testing.ts'
import { namePerTry } from '../../support/name-per-try.ts'
import { outlast } from '../../support/outlast.ts'
import { startProxy } from '../../support/start-proxy.ts'
import { type ApiRig, basic, setUpApi } from './api-rig.ts'
import { useApiBroker } from './use-api-broker.ts'

// RabbitMQ cannot be made to take one record of a stream and refuse the next, so that is up to the embedded broker.
const rabbit = await useApiBroker()
const headers = { authorization: basic('guest') }

async function setup() {
  const broker = await startEmbeddedBroker()
  onTestFinished(() => broker.stop())
  const folder = mkdtempSync(join(tmpdir(), 'warren-ends-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const lines: string[] = []
  const logger = { level: 'error', stream: { write: (line: string) => void lines.push(line) } }
  const declared = { queues: { declared: {} } }
  const rig = await setUpApi({ ...broker, declared, logger, server: { backups: { folder } } })
  const ask = (request: Request) => askUntilRefused(broker, rig, request)
  return { broker, rig, lines, ask }
}

async function logIn({ app }: ApiRig) {
  const payload = { username: 'guest', password: 'guest' }
  const opened = await app.inject({ method: 'POST', url: '/api/v1/session', payload })
  const [cookie = ''] = String(opened.headers['set-cookie']).split(';')
  return { cookie, 'x-csrf-token': opened.json<OpenedSession>().csrfToken }
}

interface Request extends InjectOptions {
  readonly after: number
}

/** The broker takes so many messages more, and refuses the next one: the closing record. */
function askUntilRefused(broker: EmbeddedBroker, { app }: ApiRig, { after, ...request }: Request) {
  broker.faults.changeConfirms({ kind: 'delay', delayMs: 0 }, { count: after })
  broker.faults.changeConfirms({ kind: 'nack' })
  return app.inject({ headers, ...request })
}

/** It is done and said to be done, and what the log has not is seen by whoever runs the server. */
function expectSeen(lines: readonly string[], action: string): void {
  expect(lines).toHaveLength(1)
  expect(JSON.parse(lines[0]!)).toMatchObject({ action, msg: 'what was done is not in the audit log' })
}

describe('where the audit log refuses the end of', () => {
  it('a discard, the messages are gone and the answer says so', async () => {
    const { broker, rig, lines, ask } = await setup()
    await rig.declareDlq('gone.dlq')
    await rig.publish([1, 2].map((body) => ({ key: 'gone.dlq', body })))

    const answer = await ask({
      after: 1,
      method: 'POST',
      url: '/api/v1/dlqs/gone.dlq/discard',
      payload: {},
    })

    expect(answer.statusCode, answer.body).toBe(200)
    expect(answer.json<Discarded>()).toMatchObject({ removed: 2, isDone: true })
    expect(broker.inspect('gone.dlq')!.counts.ready).toBe(0)
    expectSeen(lines, 'discard')
  })

  it('a restore, the messages are there and the answer says so', async () => {
    const { broker, rig, lines, ask } = await setup()
    await rig.declareDlq('back.dlq')
    await rig.publish([1, 2].map((body) => ({ key: 'back.dlq', body, messageId: `m-${body}` })))
    const { rawPayload } = await rig.app.inject({ url: '/api/v1/dlqs/back.dlq/backup', headers })
    await rig.app.inject({ method: 'POST', url: '/api/v1/dlqs/back.dlq/discard', headers, payload: {} })

    const answer = await ask({
      after: 1 + 2,
      method: 'POST',
      url: '/api/v1/restores',
      payload: rawPayload,
      headers: { ...headers, 'content-type': 'application/gzip' },
    })

    expect(answer.statusCode, answer.body).toBe(200)
    expect(answer.json()).toMatchObject({ records: 2, restored: 2 })
    expect(broker.inspect('back.dlq')!.counts.ready).toBe(2)
    expectSeen(lines, 'restore')
  })

  it('an apply, the topology stands and the answer says so', async () => {
    const { broker, rig, lines, ask } = await setup()
    const read = await rig.app.inject({ url: '/api/v1/topology/plan', headers })
    const payload = { plan: read.json<TopologyPlan>().digest }

    const answer = await ask({ after: 1, method: 'POST', url: '/api/v1/topology/apply', payload })

    expect(answer.statusCode, answer.body).toBe(200)
    expect(broker.inspect('declared')).toBeDefined()
    expectSeen(lines, 'topology.apply')
  })

  it('a session, it is over and the answer says so', async () => {
    const { rig, lines, ask } = await setup()
    const browser = await logIn(rig)

    const answer = await ask({ after: 1, method: 'DELETE', url: '/api/v1/session', headers: browser })
    const later = await rig.app.inject({ url: '/api/v1/my/permissions', headers: browser })

    expect([answer.statusCode, later.statusCode], answer.body).toEqual([204, 401])
    expectSeen(lines, 'session.close')
  })
})

it('a session that only one server could be told of is reported as over there, and does not continue', async () => {
  const { rig, ask } = await setup()
  const browser = await logIn(rig)

  const answer = await ask({ after: 0, method: 'DELETE', url: '/api/v1/session', headers: browser })
  const later = await rig.app.inject({ url: '/api/v1/my/permissions', headers: browser })

  expect([answer.statusCode, later.statusCode]).toEqual([503, 401])
  expect(answer.json()).toMatchObject({ code: 'NOTICES_UNAVAILABLE' })
  expect(answer.json<Problem>().detail).toMatch(/^The session has ended on this server/)
})

it('what cannot be written down before it is done is not done', async () => {
  const { broker, rig, ask } = await setup()
  await rig.declareDlq('kept.dlq')
  await rig.publish([{ key: 'kept.dlq', body: 1 }])

  const answer = await ask({
    after: 0,
    method: 'POST',
    url: '/api/v1/dlqs/kept.dlq/discard',
    payload: {},
  })

  expect(answer.statusCode).toBe(503)
  expect(answer.json()).toMatchObject({ code: 'AUDIT_UNAVAILABLE' })
  expect(broker.inspect('kept.dlq')!.counts.ready).toBe(1)
})

describe('where RabbitMQ has lost the stream of the audit log', () => {
  it('nothing is done that should be in it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'warren-ends-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const rig = await setUpApi({ ...rabbit, server: { backups: { folder } } })
    const dlq = `${namePerTry('safe')}.dlq`
    await rig.declareDlq(dlq)
    await rig.publish([{ key: dlq, body: 1 }])
    await rabbit.management('DELETE', `/api/queues/${rabbit.vhost}/warren.audit`)

    const discard = { method: 'POST', url: `/api/v1/dlqs/${dlq}/discard`, payload: {} } as const
    const answer = await rig.app.inject({ ...discard, headers: rabbit.headers })

    expect(answer.statusCode, answer.body).toBe(503)
    expect(answer.json()).toMatchObject({ code: 'AUDIT_UNAVAILABLE' })
    expect(await rabbit.depth(dlq)).toBe(1)
    expect(readdirSync(folder)).toEqual([])
  })
})

describe('the audit log of a broker that confirms nothing', () => {
  it('refuses who has waited for the others for as long as a record may take', async () => {
    const proxy = await startProxy({ target: Number(new URL(rabbit.url).port) })
    onTestFinished(() => proxy.close())
    const session = await Session.open(proxy.urlFor(rabbit.url))
    onTestFinished(() => session.close())
    const log = await openAuditLog({ consuming: session, publishing: session, deadlineMs: 50 })
    onTestFinished(() => log.close())
    onTestFinished(() => proxy.resume())
    const entry: AuditEntry = {
      by: 'test',
      wayIn: 'token',
      from: 'here',
      action: 'redrive',
      target: 'a.dlq',
      reason: null,
      result: 'begun',
      receiptDigest: null,
    }

    proxy.swallow('to-client')
    const written = await Promise.allSettled([1, 2, 3, 4].map(() => log.write(entry)))

    const reasons = written.map((each) => (each.status === 'rejected' ? String(each.reason) : 'written'))
    expect(reasons[0]).toContain('did not accept the record')
    expect(reasons[3]).toContain('accepts no records right now')
  })
})

describe('the audit log of a broker that stands still', () => {
  it('is given up long before its connection is', async () => {
    const proxy = await startProxy({ target: Number(new URL(rabbit.url).port) })
    onTestFinished(() => proxy.close())
    const session = await Session.open(proxy.urlFor(rabbit.url))
    onTestFinished(() => session.close())
    const log = await openAuditLog({ consuming: session, publishing: session })
    onTestFinished(() => log.close())
    onTestFinished(() => proxy.resume())
    const range = { stream: 'warren.audit', from: 0, to: 0, mostSilentMs: 50 }

    proxy.swallow('both')
    const read = readRange(session, range).catch((error: Error) => error.message)

    expect(await outlast(read, 10_000)).toContain('cannot be read right now')
  })
})
