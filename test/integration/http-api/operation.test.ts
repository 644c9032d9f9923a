import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished } from 'vitest'
import type {
  BrokerState,
  Problem,
  Task,
  TaskList,
} from '../../../packages/cli/src/http-api/contract/contract.ts'
import { readServerSection } from '../../../packages/cli/src/http-api/read-server-section.ts'
import { listen } from '../../../packages/cli/src/http-api/server.ts'
import { deleteQueue } from '../../../packages/warrenmq/src/broker/amqp/declarations.ts'
import { startEmbeddedBroker } from '../../../packages/warrenmq/src/testing.ts'
import { eventually } from '../../support/eventually.ts'
import { startProxy } from '../../support/start-proxy.ts'
import { basic, deadLetterTo, setUpApi } from './api-rig.ts'
import { useApiBroker } from './use-api-broker.ts'

const broker = await useApiBroker()
const { headers } = broker

/** A server whose broker lives, and takes no connection of it until `come`. */
async function setUpAway() {
  const proxy = await startProxy({ target: Number(new URL(broker.url).port) })
  onTestFinished(() => proxy.close())
  const topology = { queues: { away: {} } }
  const rig = await setUpApi({ ...broker, url: proxy.urlFor(broker.url), topology })
  const sessions = [rig.consuming, rig.publishing]
  const come = async () => {
    await proxy.accept()
    await Promise.all(sessions.map((session) => session.whenConnected()))
  }
  onTestFinished(come)
  proxy.refuse()
  proxy.cutAll()
  await eventually(() => expect(sessions.map(({ connection }) => connection)).toEqual([undefined, undefined]))
  return { ...rig, come }
}

function countClients(server: Server): Promise<number> {
  return new Promise((resolve, reject) =>
    server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  )
}

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
    const { app, come } = await setUpAway()

    const gone = await Promise.all(['/healthz', '/readyz'].map((url) => app.inject(url)))
    await come()
    const back = await app.inject('/readyz')

    expect(gone.map(({ statusCode }) => statusCode)).toEqual([200, 503])
    expect(back.statusCode).toBe(200)
  })

  it('answers at once while its connection is gone, and does nothing of it later', async () => {
    const { app, come } = await setUpAway()
    const asked = [
      ['GET', '/api/v1/dlqs'],
      ['GET', '/api/v1/dlqs/away.dlq/messages'],
      ['GET', '/api/v1/dlqs/away.dlq/backup'],
      ['POST', '/api/v1/redrives', { queue: 'away.dlq' }],
      ['POST', '/api/v1/redrives/plan', { queue: 'away.dlq' }],
      ['POST', '/api/v1/dlqs/away.dlq/discard', {}],
      ['GET', '/admin/dlq/queues'],
      ['GET', '/admin/dlq/queues/away.dlq/messages'],
      ['POST', '/admin/dlq/queues/away.dlq/re-drive', { limit: 1 }],
      ['GET', '/metrics'],
    ] as const

    const answers = asked.map(async ([method, url, payload]) => {
      const answer = await app.inject({ method, url, headers, ...(payload && { payload }) })
      return [url, answer.json<Problem>().code, answer.statusCode, answer.headers['retry-after']]
    })

    expect(await Promise.all(answers)).toEqual(asked.map(([, url]) => [url, 'API_BUSY', 503, '5']))
    await come()
    const { items } = (await app.inject({ url: '/api/v1/tasks', headers })).json<TaskList>()
    expect(items.filter(({ queue }) => queue === 'away.dlq')).toEqual([])
  })

  it('does not start a re-drive that nobody waits for any more', async () => {
    const lines: string[] = []
    const logger = { level: 'error', stream: { write: (line: string) => void lines.push(line) } }
    const rig = await setUpApi({ ...broker, logger })
    await rig.declareDlq('unwanted.dlq')
    const leaving = new AbortController()
    const openChannel = rig.consuming.openChannel.bind(rig.consuming)
    rig.consuming.openChannel = async () => {
      leaving.abort()
      await eventually(async () => expect(await countClients(rig.app.server)).toBe(0))
      return openChannel()
    }

    const asked = fetch(`${await rig.listen()}/api/v1/redrives`, {
      method: 'POST',
      body: '{"queue":"unwanted.dlq"}',
      signal: leaving.signal,
      headers: { ...headers, 'content-type': 'application/json' },
    })
    await expect(asked).rejects.toThrow('aborted')
    await eventually(() => expect(lines.join('')).toContain('did not wait for the answer'))
    rig.consuming.openChannel = openChannel

    const { items } = (await rig.app.inject({ url: '/api/v1/tasks', headers })).json<TaskList>()
    expect(items.filter(({ queue }) => queue === 'unwanted.dlq')).toEqual([])
  })

  it('tells whether it is connected to the broker, which is well', async () => {
    const { app, come } = await setUpAway()
    const read = async () => (await app.inject({ url: '/api/v1/broker', headers })).json<BrokerState>()

    const gone = await read()
    await come()
    const back = await read()

    expect(gone).toMatchObject({ isHealthy: true, isConnected: false })
    expect(back).toMatchObject({ isHealthy: true, isConnected: true, alarms: [] })
  })

  // On the embedded broker: an alarm of the shared one would stop whoever else publishes.
  it('tells of the broker that it is not well', async () => {
    const own = await startEmbeddedBroker()
    onTestFinished(() => own.stop())
    const { app } = await setUpApi(own)
    own.faults.block('memory')

    const answer = await app.inject({ url: '/api/v1/broker', headers: { authorization: basic('guest') } })
    own.faults.unblock()

    expect(answer.json<BrokerState>()).toMatchObject({ isHealthy: false, isConnected: true })
    expect(answer.json<BrokerState>().alarms).toHaveLength(1)
  })

  it('gives Prometheus the depth of each dead-letter queue', async () => {
    const rig = await setUpApi(broker)
    await rig.declareDlq('measured.dlq')
    await rig.publish([{ key: 'measured.dlq', body: 1 }])

    const { body } = await rig.app.inject({ url: '/metrics', headers })

    expect(body).toContain(`warren_dead_letters{vhost="${broker.vhost}",queue="measured.dlq"} 1\n`)
    expect(body).toContain('warren_tasks{state="running"} 0\n')
  })

  it('gives Prometheus the requests that it has answered, by the class of their status', async () => {
    const { app } = await setUpApi(broker)
    let reads = 0
    const read = async () => {
      reads += 1
      const { body } = await app.inject({ url: '/metrics', headers })
      const told = body.matchAll(/^warren_http_requests_total\{status="(\w+)"\} (\d+)$/gm)
      return Object.fromEntries([...told].map(([, status, count]) => [status, Number(count)]))
    }
    const before = await read()

    await Promise.all(['/healthz', '/readyz', '/api/v1/dlqs'].map((url) => app.inject(url)))
    await app.inject({ url: '/api/v1/tasks/00000000-0000-4000-8000-000000000000', headers })

    expect(before).toEqual({})
    // Counted once they are answered; each reading but the last is one of them.
    await eventually(async () => expect(await read()).toEqual({ '2xx': 2 + reads - 1, '4xx': 2 }))
  })

  it('gives Prometheus no depth of a queue that is gone by the time it is counted', async () => {
    const rig = await setUpApi(broker)
    await rig.declareDlq('gone.dlq')
    await rig.declareDlq('stays.dlq')
    const openChannel = rig.consuming.openChannel.bind(rig.consuming)
    rig.consuming.openChannel = async () => {
      const channel = await openChannel()
      await deleteQueue(channel, 'gone.dlq')
      return channel
    }

    const { body } = await rig.app.inject({ url: '/metrics', headers })

    expect(body).toContain('queue="stays.dlq"} 0\n')
    expect(body).not.toContain('gone.dlq')
  })

  it('describes itself in OpenAPI 3.1, without a secret', async () => {
    const key = 'the-key-of-sessions-that-is-long-enough'
    const { app } = await setUpApi({ ...broker, env: { WARREN_SESSION_KEY: key } })

    const { body } = await app.inject('/docs/json')
    const document = JSON.parse(body) as { openapi: string; paths: Record<string, object> }

    expect(document.openapi).toBe('3.1.0')
    expect(Object.keys(document.paths)).toContain('/api/v1/dlqs/{queue}/messages')
    for (const secret of [key, broker.password, broker.vhost, '127.0.0.1']) expect(body).not.toContain(secret)
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
      url: '/api/v1/dlqs/masked.dlq/messages',
      query: { where: 'body.card.number:4111' },
      headers,
    })

    expect(shown.json()).toMatchObject({ body: { text: '{"card":{"number":"***"}}', isMasked: true } })
    expect(shown.body).not.toContain('4111')
    expect(asked.statusCode).toBe(403)
  })

  it.each([
    [{}, true],
    [{ WARREN_SESSION_KEY: 'the-key-of-sessions-that-is-long-enough' }, false],
  ])('with %j says that the key of a message may be of another server: %s', async (env, isSaid) => {
    const lines: string[] = []
    const logger = { level: 'warn', stream: { write: (line: string) => void lines.push(line) } }
    const rig = await setUpApi({ ...broker, env, logger, server: { payloads: { mask: ['card'] } } })
    await rig.declareDlq('named.dlq')

    const url = `/api/v1/dlqs/named.dlq/messages/${'0'.repeat(32)}`
    const { detail, code } = (await rig.app.inject({ url, headers })).json<Problem>()

    expect(code).toBe('API_NOT_FOUND')
    expect(detail.includes('or the key comes from another server')).toBe(isSaid)
    expect(lines.join('').includes('WARREN_SESSION_KEY')).toBe(isSaid)
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
    await rig.declareDlq('told', deadLetterTo('told.dlq'))
    const message = { key: 'told.dlq', body: 1, headers: { 'x-original-queue': 'told' } }
    await rig.publish(Array.from({ length: 10 }, () => message))
    await eventually(() => expect(told.map(({ event }) => event)).toEqual(['dlq.above']))

    await rig.app.inject({
      method: 'POST',
      url: '/api/v1/redrives',
      headers,
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
    await rig.declareDlq('closed', deadLetterTo('closed.dlq'))
    const message = { key: 'closed.dlq', body: 1, headers: { 'x-original-queue': 'closed' } }
    await rig.publish(Array.from({ length: 10 }, () => message))

    await rig.app.inject({
      method: 'POST',
      url: '/api/v1/redrives',
      headers,
      payload: { queue: 'closed.dlq', ratePerSecond: 1 },
    })
    await rig.app.close()

    await eventually(async () => {
      const [left = 0, moved = 0] = [await broker.depth('closed.dlq'), await broker.depth('closed')]
      expect(left + moved).toBe(10)
      expect(left).toBeGreaterThan(0)
    })
  })

  it('refuses more requests at once than it may have', async () => {
    const { app } = await setUpApi({ ...broker, server: { limits: { requests: 1 } } })

    const answers = await Promise.all([1, 2, 3].map(() => app.inject({ url: '/api/v1/dlqs', headers })))

    const statuses = answers.map(({ statusCode }) => statusCode).sort()
    expect(statuses).toEqual([200, 503, 503])
  })
})
