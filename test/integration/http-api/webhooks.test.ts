import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Writable } from 'node:stream'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { KeptRecord } from '../../../packages/cli/src/http-api/audit/audit-check.ts'
import { chainRecord, noRecord } from '../../../packages/cli/src/http-api/audit/audit-record.ts'
import type { AuditPage, Task, WebhookList } from '../../../packages/cli/src/http-api/contract/contract.ts'
import { signWebhook } from '../../../packages/cli/src/http-api/webhooks/sign-webhook.ts'
import { runCli } from '../../../packages/cli/src/run-cli.ts'
import { eventually } from '../../support/eventually.ts'
import { createVhost } from '../../support/use-broker.ts'
import { basic, deadLetterTo, serverKey, setUpApi } from './api-rig.ts'

interface Received {
  readonly headers: IncomingHttpHeaders
  readonly text: string
  readonly body: Record<string, unknown>
}

/** Answers with these, one after the other, and with 204 from then on. */
async function startReceiver(answers: readonly number[] = []) {
  const received: Received[] = []
  const server = createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      const text = Buffer.concat(pieces).toString()
      received.push({ headers: request.headers, text, body: JSON.parse(text) })
      response.writeHead(answers[received.length - 1] ?? 204, { location: '/elsewhere' }).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close().closeAllConnections())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, received }
}

/** A server that looks often, on a vhost of its own. */
async function setup(hook: object, { servers = 1, answers = [] as number[] } = {}) {
  const receiver = await startReceiver(answers)
  const broker = await createVhost()
  onTestFinished(broker.drop)
  const to = [{ name: 'test', url: receiver.url, ...hook }]
  const webhooks = { every: '50ms', retry: { first: '10ms', most: '20ms', attempts: 5 }, to }
  const managementUrl = broker.managementUrl.replace('://', `://${broker.username}:${broker.password}@`)
  const options = { url: broker.url, managementUrl, env: { KEY: 'a secret' }, server: { webhooks } }
  const rigs = []
  for (let at = 0; at < servers; at += 1) rigs.push(await setUpApi(options))
  const rig = rigs[0]!
  const fill = (queue: string, count: number, headers: Record<string, string> = {}) =>
    rig.publish(Array.from({ length: count }, () => ({ key: queue, body: { card: '4111' }, headers })))
  const redrive = (queue: string, more: object = {}) =>
    rig.app.inject({
      method: 'POST',
      url: '/api/v1/redrives',
      payload: { queue, ...more },
      headers: { authorization: basic(broker.username, broker.password) },
    })
  return { ...receiver, rig, rigs, fill, redrive, broker }
}

describe('a webhook', () => {
  it('tells once, and signed, that a queue is above its limit', async () => {
    const { rig, fill, received, broker } = await setup({ on: { above: 2 }, secretFrom: 'KEY' })
    await rig.declareDlq('full.dlq')
    await rig.declareDlq('later.dlq')

    await fill('full.dlq', 3)
    await eventually(() => expect(received).toHaveLength(1))
    await fill('full.dlq', 2)
    await fill('later.dlq', 3)
    await eventually(() => expect(received).toHaveLength(2))

    expect(received.map(({ body: { queue } }) => queue)).toEqual(['full.dlq', 'later.dlq'])
    const { headers, text, body } = received[0]!
    expect(body).toMatchObject({
      event: 'dlq.above',
      vhost: broker.vhost,
      queue: 'full.dlq',
      messages: 3,
      above: 2,
      text: 'full.dlq holds 3 dead letters, more than 2.',
    })
    expect(headers).toMatchObject({ 'x-warren-event': 'dlq.above', 'x-warren-id': body.id })
    const [, seconds] = /^t=(\d+),/.exec(String(headers['x-warren-signature']))!
    const expected = signWebhook({ secret: 'a secret', body: text, atMs: Number(seconds) * 1000 })
    expect(headers['x-warren-signature']).toBe(expected)
  })

  it('is sent again with the same id until the receiver takes it', async () => {
    const { rig, fill, received } = await setup({ on: { above: 0 } }, { answers: [500, 429, 503] })
    await rig.declareDlq('again.dlq')

    await fill('again.dlq', 1)
    await eventually(() => expect(received).toHaveLength(4))

    expect(new Set(received.map(({ headers }) => headers['x-warren-id'])).size).toBe(1)
    expect(received.map(({ headers }) => headers['x-warren-attempt'])).toEqual(['1', '2', '3', '4'])
    expect(received.map(({ text }) => text)).toEqual(received.map(() => received[0]!.text))
  })

  it('is listed with what its receiver accepts and refuses, and without its address', async () => {
    const { rig, fill, received, broker, url } = await setup(
      { on: { above: 0, growth: { messages: 1_000, within: '5m' } }, queues: ['state.*', 'salaries.dlq'] },
      { answers: [503, 400] },
    )
    await rig.declareDlq('state.dlq')
    await fill('state.dlq', 1)
    await eventually(() => expect(received).toHaveLength(2)) // not in time, then refused
    const list = async (): Promise<WebhookList> => {
      const headers = { authorization: basic(broker.username, broker.password) }
      const answer = await rig.app.inject({ url: '/api/v1/webhooks', headers })
      expect(answer.statusCode).toBe(200)
      expect(answer.body).not.toContain(url)
      return answer.json<WebhookList>()
    }
    await eventually(async () =>
      expect(await list()).toEqual({
        isSending: true,
        items: [
          {
            name: 'test',
            queues: ['state.*', 'salaries.dlq'],
            waiting: 0,
            accepted: 0,
            acceptedAt: null,
            rules: ['a queue holds more than 0 messages', 'a queue grows by 1,000 messages within 300 s'],
            givenUp: 1,
            failure: { at: expect.any(String), reason: 'it answered 400' },
          },
        ],
      }),
    )

    await rig.declareDlq('state.later.dlq')
    await fill('state.later.dlq', 1)

    await eventually(async () => {
      const [webhook] = (await list()).items
      expect(webhook).toMatchObject({
        accepted: 1,
        acceptedAt: expect.any(String),
        givenUp: 1,
        failure: null,
      })
    })
  })

  it.each([400, 302])(
    'is not sent again where the receiver answers %i, and the next one is',
    async (status) => {
      const { rig, fill, received } = await setup({ on: { above: 0 } }, { answers: [status] })
      await rig.declareDlq('one.dlq')
      await rig.declareDlq('two.dlq')

      await fill('one.dlq', 1)
      await eventually(() => expect(received).toHaveLength(1))
      await fill('two.dlq', 1)
      await eventually(() => expect(received).toHaveLength(2))

      expect(received.map(({ body }) => body.queue)).toEqual(['one.dlq', 'two.dlq'])
      expect(received[1]!.headers['x-warren-attempt']).toBe('1')
    },
  )

  it('tells growth of the queues that it is about', async () => {
    const growth = { messages: 5, within: '1m' }
    const { rig, fill, received } = await setup({ on: { growth }, queues: ['mine.*'] })
    await rig.declareDlq('mine.dlq')
    await rig.declareDlq('other.dlq')
    await fill('mine.dlq', 1)
    await fill('other.dlq', 1)

    await eventually(async () => {
      await fill('other.dlq', 6)
      await fill('mine.dlq', 6)
      await eventually(() => expect(received).toHaveLength(1), { timeoutMs: 300 })
    })

    expect(received[0]!.body).toMatchObject({ event: 'dlq.growth', queue: 'mine.dlq', withinMs: 60_000 })
  })

  it.each([
    [false, undefined],
    [true, '{"card":"4111"}'],
  ])('tells a cause that is new, with a sample where that is asked for: %s', async (samples, sample) => {
    const { rig, fill, received } = await setup({ on: { newCause: true, above: 0 }, samples })
    await rig.declareDlq('caused.dlq')
    await fill('caused.dlq', 1, { 'exception-type': 'Timeout' })
    await eventually(() => expect(received[0]?.body.event).toBe('dlq.above'))

    // What is there at the first look is known, and only the next one tells when that was.
    let error = 'Refused'
    await eventually(async () => {
      error = `${error}x`
      await fill('caused.dlq', 1, { 'exception-type': error })
      await eventually(() => expect(received.length).toBeGreaterThan(1), { timeoutMs: 300 })
    })

    const { body, text } = received[1]!
    expect(body).toMatchObject({ event: 'cause.new', queue: 'caused.dlq', cause: { kind: 'error' } })
    expect(body.sample).toBe(sample)
    if (!samples) expect(text).not.toContain('4111')
  })

  it('tells that a task has ended, once, however many servers there are, as Slack wants it', async () => {
    const hook = { on: { taskFinished: true }, format: 'slack' }
    const { rig, rigs, fill, redrive, received, broker } = await setup(hook, { servers: 2 })
    await rig.declareDlq('moved.dlq')
    await rig.declareDlq('work', deadLetterTo('moved.dlq'))
    await fill('moved.dlq', 3, { 'x-original-queue': 'work' })

    const { id } = (await redrive('moved.dlq')).json<Task>()
    await eventually(() => expect(received).toHaveLength(1))
    for (const { app } of rigs) {
      const headers = { authorization: basic(broker.username, broker.password) }
      const task = async () => (await app.inject({ url: `/api/v1/tasks/${id}`, headers })).json<Task>()
      await eventually(async () => expect((await task()).state).toBe('done'))
    }

    expect(received[0]!.body).toEqual({
      text: `[${broker.vhost}] The re-drive of moved.dlq by ${broker.username} is done: 3 moved, 0 failed, 0 kept of 3.`,
    })
    const second = await redrive('moved.dlq')
    expect(second.statusCode).toBe(202)
    await eventually(() => expect(received).toHaveLength(2))
  })

  it('brings the newest record of the audit log along that a server signed, so that nobody can cut it off unseen', async () => {
    const { rig, fill, redrive, received, broker } = await setup({ on: { taskFinished: true } })
    await rig.declareDlq('kept.dlq')
    await rig.declareDlq('work', deadLetterTo('kept.dlq'))
    const headers = { authorization: basic(broker.username, broker.password) }
    const moveOne = async (count: number) => {
      await fill('kept.dlq', 1, { 'x-original-queue': 'work' })
      await redrive('kept.dlq')
      await eventually(() => expect(received).toHaveLength(count))
    }
    const verify = (hash: string) => {
      const silent = () => new Writable({ write: (_chunk, _encoding, done) => done() })
      const streams = { stdout: silent(), stderr: silent(), env: serverKey }
      return runCli(['audit', '--verify', '--kept', hash, '--url', broker.url], streams)
    }

    await moveOne(1)
    const first = received[0]!.body.audit as KeptRecord
    const verdicts = [await verify(first.hash), await verify('f'.repeat(64))]
    const end = { writer: 'x', number: 0, hash: noRecord }
    const entry = { by: 'x', wayIn: 'x', from: 'x', action: 'x', target: 'x', reason: null, result: 'x' }
    const forged = chainRecord({ ...entry, receiptDigest: null }, { end, seen: undefined, at: 'now' })
    await rig.publish([{ key: 'warren.audit', body: forged }])
    await moveOne(2)
    const second = received[1]!.body.audit as KeptRecord
    const { items } = (await rig.app.inject({ url: '/api/v1/audit?limit=100', headers })).json<AuditPage>()

    expect(first).toEqual({ hash: expect.stringMatching(/^[0-9a-f]{64}$/), offset: expect.any(Number) })
    expect(verdicts).toEqual([0, 1])
    const found = [first, second].map(({ hash }) => items.find((record) => record.hash === hash))
    expect(found.map((record) => record?.isSigned)).toEqual([true, true])
    expect(second.offset).toBeGreaterThan(first.offset!)
  })

  it('is sent by another server when the one that did is gone', async () => {
    const { rig, rigs, fill, received } = await setup({ on: { above: 0 } }, { servers: 2 })
    await rig.declareDlq('first.dlq')
    await fill('first.dlq', 1)
    await eventually(() => expect(received).toHaveLength(1))
    await rig.declareDlq('second.dlq')
    await fill('second.dlq', 1)

    await rigs[0]!.app.close()

    await eventually(() => {
      const queues = received.map(({ body }) => body.queue)
      expect(new Set(queues)).toEqual(new Set(['first.dlq', 'second.dlq']))
    })
  })
})
