import { describe, expect, it } from 'vitest'
import { openAuditLog } from '../../../packages/cli/src/http-api/audit/audit-log.ts'
import type { AdminMessages, AuditPage } from '../../../packages/cli/src/http-api/contract/contract.ts'
import { deleteQueue } from '../../../packages/warrenmq/src/broker/amqp/declarations.ts'
import { Session } from '../../../packages/warrenmq/src/broker/amqp/session.ts'
import type { ConsumedMessage } from '../../../packages/warrenmq/src/consumer/run/consumed-message.ts'
import { startConsumer } from '../../../packages/warrenmq/src/consumer/start-consumer.ts'
import { compileTopology } from '../../../packages/warrenmq/src/topology/compile-topology.ts'
import { eventually } from '../../support/eventually.ts'
import { type ApiRig, setUpApi } from './api-rig.ts'
import { useApiBroker } from './use-api-broker.ts'

const broker = await useApiBroker()
const { headers } = broker

const topology = {
  layout: 'isolated',
  exchanges: { 'domain.events': { type: 'topic' } },
  queues: {
    'q.validator': {
      bind: [{ exchange: 'domain.events', key: 'files.uploaded.*' }],
      retry: { delays: ['50ms'], maxAttempts: 3 },
    },
  },
} as const

/** CI tries a test twice: the second must not find what the first one left. */
async function startAnew(): Promise<void> {
  const session = await Session.open(broker.url)
  const channel = await session.openChannel()
  for (const queue of ['warren.audit', 'q.validator', 'q.validator.dlq']) await deleteQueue(channel, queue)
  await session.close()
}

/** A consumer that fails until it is told to work. */
async function startValidator({ consuming, publishing }: ApiRig) {
  const handled: unknown[] = []
  let isBroken = true
  let attempts = 0
  const flow = compileTopology(topology, { brokerVersion: consuming.broker.version }).flows[0]!
  const consumer = startConsumer({
    consuming,
    publishing,
    flow,
    options: {},
    handler: async (message) => {
      attempts += 1
      if (isBroken) throw new Error('the scanner is down')
      handled.push({ body: message.body, by: message.headers['x-redriven-by'], way: firstDeathOf(message) })
    },
  })
  await consumer.whenStarted()
  return {
    handled,
    attempts: () => attempts,
    repair: () => {
      isBroken = false
    },
    close: () => consumer.close(),
  }
}

/** Where a message that has waited was published to: the exchange and keys that its wait queue saw. */
function firstDeathOf({ headers }: ConsumedMessage) {
  const [death] = headers['x-death'] as { exchange: string; 'routing-keys': string[] }[]
  return [death?.exchange, ...(death?.['routing-keys'] ?? [])]
}

describe('the story of the isolated system', () => {
  it('a message that failed three times is seen and re-driven by an admin, processed once, and audited', async () => {
    await startAnew()
    await broker.createAccount('operator', { tag: 'policymaker' })
    const rig = await setUpApi({ ...broker, topology })
    const validator = await startValidator(rig)
    const queues = '/admin/dlq/queues'
    const dlq = `${queues}/q.validator.dlq`

    await rig.publish([
      { exchange: 'domain.events', key: 'files.uploaded.pdf', body: { file: 'a.pdf' }, messageId: 'file-1' },
    ])
    await eventually(async () => {
      const answer = await rig.app.inject({ url: queues, headers })
      expect(answer.json()).toEqual({ queues: [{ queue: 'q.validator.dlq', messages: 1 }] })
    })
    const peeked = await rig.app.inject({ url: `${dlq}/messages?limit=20`, headers })
    const refused = await rig.app.inject({
      method: 'POST',
      url: `${dlq}/re-drive`,
      payload: { limit: 10 },
      headers: broker.as('operator'),
    })
    const unknown = await rig.app.inject({ url: `${queues}/q.validator/messages`, headers })
    validator.repair()
    const redriven = await rig.app.inject({
      method: 'POST',
      url: `${dlq}/re-drive`,
      payload: { limit: 10 },
      headers,
    })
    await eventually(async () => expect(validator.handled).toHaveLength(1))
    const audited = await rig.app.inject({ url: '/api/v1/audit', headers })
    await validator.close()

    expect(peeked.json<AdminMessages>().messages).toMatchObject([
      { messageId: 'file-1', payload: '{"file":"a.pdf"}', payloadEncoding: 'utf8' },
    ])
    expect(refused.statusCode).toBe(403)
    expect(unknown.statusCode).toBe(404)
    expect(redriven.statusCode, redriven.body).toBe(200)
    expect(redriven.json()).toMatchObject({ requested: 10, redriven: 1, failed: 0, kept: 0 })
    expect(validator.handled).toEqual([
      { body: { file: 'a.pdf' }, by: broker.username, way: ['retry.q.validator', 'retry'] },
    ])
    expect(validator.attempts()).toBe(4)
    const { items } = audited.json<AuditPage>()
    expect(items.map(({ by, action, result }) => [by, action, result.split(' ')[0]])).toEqual([
      [broker.username, 'audit.read', 'read'],
      [broker.username, 'redrive', 'done'],
      [broker.username, 'redrive', 'begun'],
      [broker.nameOf('operator'), 'refused', 'API_FORBIDDEN'],
    ])
    expect(items[1]?.receiptDigest).toMatch(/^\w+/)
  })

  it('all that is parked goes back through the retry exchange, also what does not tell where it failed', async () => {
    await startAnew()
    const rig = await setUpApi({ ...broker, topology })
    const dlq = '/admin/dlq/queues/q.validator.dlq'
    await rig.publish([
      { exchange: 'dlq.q.validator', key: 'parking', body: 1, messageId: 'without-a-word' },
      {
        exchange: 'dlq.q.validator',
        key: 'parking',
        body: 2,
        messageId: 'of-another',
        headers: { 'x-original-queue': 'q.thumbnail' },
      },
    ])

    const typed = { ...headers, 'content-type': 'application/json' }
    const redriven = await rig.app.inject({ method: 'POST', url: `${dlq}/re-drive`, headers })
    const again = await rig.app.inject({ method: 'POST', url: `${dlq}/re-drive`, headers: typed })
    const validator = await startValidator(rig)
    validator.repair()
    await eventually(() => expect(validator.handled).toHaveLength(2))
    await validator.close()

    expect(redriven.json()).toMatchObject({ requested: 10, redriven: 2, failed: 0, kept: 0 })
    expect(again.json()).toMatchObject({ requested: 10, redriven: 0, failed: 0, kept: 0 })
    expect(validator.handled).toEqual(
      expect.arrayContaining([
        { body: 1, by: broker.username, way: ['retry.q.validator', 'retry'] },
        { body: 2, by: broker.username, way: ['retry.q.validator', 'retry'] },
      ]),
    )
  })

  it('two writers share one audit log, and it proves itself whole', async () => {
    await startAnew()
    const rig = await setUpApi(broker)
    const [one, two] = [await openAuditLog(rig), await openAuditLog(rig)]
    const reader = { by: 'me', wayIn: 'token', from: '127.0.0.1' }
    const entry = {
      ...reader,
      action: 'redrive',
      target: 'q',
      reason: null,
      result: 'begun',
      receiptDigest: null,
    }

    await Promise.all([1, 2, 3, 4, 5].flatMap(() => [one.write(entry), two.write(entry)]))
    const whole = await two.verify(reader)
    await rig.publish([{ key: 'warren.audit', body: { ...(await one.write(entry)), by: 'somebody else' } }])
    const broken = await two.verify(reader)

    expect(whole).toMatchObject({ kind: 'whole' })
    expect(broken).toMatchObject({
      kind: 'broken',
      problems: [{ problem: expect.stringMatching(/changed/) }],
    })
    await Promise.all([one.close(), two.close()])
  })
})
