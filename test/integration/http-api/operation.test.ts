import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import type { Task } from '../../../src/http-api/contract.ts'
import { readServerSection } from '../../../src/http-api/read-server-section.ts'
import { listen } from '../../../src/http-api/server.ts'
import { startEmbeddedBroker } from '../../../src/testing/index.ts'
import { eventually } from '../../support/eventually.ts'
import { basic, setUpApi } from './api-rig.ts'

const broker = await startEmbeddedBroker()
afterAll(() => broker.stop())
const headers = { authorization: basic('guest') }

describe('a server', () => {
  it('tells that it is alive and ready without asking who wants to know', async () => {
    const { app } = await setUpApi(broker)

    const answers = await Promise.all(['/healthz', '/readyz'].map((url) => app.inject(url)))

    expect(answers.map(({ statusCode, body }) => [statusCode, body])).toEqual([
      [200, 'alive\n'],
      [200, 'ready\n'],
    ])
  })

  it('is alive and not ready while the broker is gone', async () => {
    const own = await startEmbeddedBroker()
    const { app, consuming } = await setUpApi(own)
    const lost = new Promise((resolve) => consuming.events.on('disconnected', resolve))

    await own.faults.crash()
    await lost
    const ready = await app.inject('/readyz')
    const alive = await app.inject('/healthz')
    await own.faults.restart()
    await consuming.whenConnected()

    expect([ready.statusCode, alive.statusCode]).toEqual([503, 200])
    await own.stop()
  })

  it('gives Prometheus the depth of each dead-letter queue', async () => {
    const rig = await setUpApi(broker)
    await rig.declareDlq('measured.dlq')
    await rig.publish([{ key: 'measured.dlq', body: 1 }])

    const { body } = await rig.app.inject({ url: '/metrics', headers })

    expect(body).toContain('warren_dead_letters{vhost="/",queue="measured.dlq"} 1\n')
    expect(body).toContain('warren_tasks{state="running"} 0\n')
  })

  it('describes itself in OpenAPI 3.1, without a secret', async () => {
    const key = 'the-key-of-sessions'
    const { app } = await setUpApi({ ...broker, env: { WARREN_SESSION_KEY: key } })

    const { body } = await app.inject('/docs/json')
    const document = JSON.parse(body) as { openapi: string; paths: Record<string, object> }

    expect(document.openapi).toBe('3.1.0')
    expect(Object.keys(document.paths)).toContain('/api/v1/dlqs/{queue}/messages')
    expect(body).not.toMatch(new RegExp(`${key}|guest|127\\.0\\.0\\.1`))
  })

  it('shows its documentation to a browser', async () => {
    const { app } = await setUpApi(broker)

    const page = await app.inject('/docs/')

    expect(page.statusCode).toBe(200)
    expect(page.headers['content-type']).toMatch(/^text\/html/)
  })

  it('that asks nobody who they are answers on this machine and to its names only', async () => {
    const { app } = await setUpApi({ ...broker, server: { auth: 'none' } })

    const here = await app.inject({ url: '/api/v1/dlqs', headers: { host: 'localhost:15680' } })
    const rebound = await app.inject({ url: '/api/v1/dlqs', headers: { host: 'evil.example' } })
    const elsewhere = listen(app, readServerSection({ auth: 'none', host: '0.0.0.0' }))

    expect([here.statusCode, rebound.statusCode]).toEqual([200, 403])
    await expect(elsewhere).rejects.toMatchObject({ code: 'SERVER_UNPROTECTED' })
  })

  it('masks paths of payloads, and no filter finds out what they hold', async () => {
    const server = { payloads: { mask: ['card.number'] } }
    const rig = await setUpApi({ ...broker, server })
    await rig.declareDlq('masked.dlq')
    await rig.publish([{ key: 'masked.dlq', body: { card: { number: '4111' } } }])
    const list = await rig.app.inject({ url: '/api/v1/dlqs/masked.dlq/messages', headers })
    const [{ key }] = list.json<{ items: [{ key: string }] }>().items

    const shown = await rig.app.inject({ url: `/api/v1/dlqs/masked.dlq/messages/${key}`, headers })
    const asked = await rig.app.inject({
      ...{ url: '/api/v1/dlqs/masked.dlq/messages', query: { where: 'body.card.number:4111' }, headers },
    })

    expect(shown.json()).toMatchObject({ body: { text: '{"card":{"number":"***"}}', isMasked: true } })
    expect(shown.body).not.toContain('4111')
    expect(asked.statusCode).toBe(403)
  })

  it('that is closed tells receivers of the tasks that end with it', async () => {
    const told: { event: string; task?: Task }[] = []
    const receiver = createServer((request, response) => {
      void text(request).then((body) => {
        told.push(JSON.parse(body))
        response.writeHead(204).end()
      })
    })
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void receiver.close().closeAllConnections())
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
    const to = [{ name: 'test', url, queues: ['told.dlq'], on: { above: 0, taskFinished: true } }]
    const rig = await setUpApi({ ...broker, server: { webhooks: { every: '50ms', to } } })
    await rig.declareDlq('told.dlq')
    await rig.declareDlq('told')
    const message = { key: 'told.dlq', body: 1, headers: { 'x-original-queue': 'told' } }
    await rig.publish(Array.from({ length: 10 }, () => message))
    await eventually(() => expect(told.map(({ event }) => event)).toEqual(['dlq.above']))

    await rig.app.inject({
      ...{ method: 'POST', url: '/api/v1/redrives', headers },
      payload: { queue: 'told.dlq', ratePerSecond: 1 },
    })
    await rig.app.close()

    expect(told.map(({ event, task }) => [event, task?.state])).toEqual([
      ['dlq.above', undefined],
      ['task.finished', 'interrupted'],
    ])
  })

  it('that is closed ends its tasks first and leaves the rest where it is', async () => {
    const rig = await setUpApi(broker)
    await rig.declareDlq('closed.dlq')
    await rig.declareDlq('closed')
    const message = { key: 'closed.dlq', body: 1, headers: { 'x-original-queue': 'closed' } }
    await rig.publish(Array.from({ length: 10 }, () => message))

    await rig.app.inject({
      ...{ method: 'POST', url: '/api/v1/redrives', headers },
      payload: { queue: 'closed.dlq', ratePerSecond: 1 },
    })
    await rig.app.close()

    const counts = ['closed.dlq', 'closed'].map((queue) => broker.inspect(queue)?.counts.ready ?? 0)
    expect(counts[0]! + counts[1]!).toBe(10)
    expect(counts[0]).toBeGreaterThan(0)
  })

  it('refuses more requests at once than it may have', async () => {
    const { app } = await setUpApi({ ...broker, server: { limits: { requests: 1 } } })

    const answers = await Promise.all([1, 2, 3].map(() => app.inject({ url: '/api/v1/dlqs', headers })))

    const statuses = answers.map(({ statusCode }) => statusCode).sort()
    expect(statuses).toEqual([200, 503, 503])
  })
})
