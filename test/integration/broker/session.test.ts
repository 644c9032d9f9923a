import { describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  declareQueue,
  deleteQueue,
  inspectQueue,
} from '../../../packages/warrenmq/src/broker/amqp/declarations.ts'
import type { Delivery } from '../../../packages/warrenmq/src/broker/amqp/delivery.ts'
import { parseAmqpUrl } from '../../../packages/warrenmq/src/broker/amqp/parse-amqp-url.ts'
import { Session, type SessionOptions } from '../../../packages/warrenmq/src/broker/amqp/session.ts'
import { Publisher } from '../../../packages/warrenmq/src/publisher/publisher.ts'
import { eventually } from '../../support/eventually.ts'
import { namePerTry } from '../../support/name-per-try.ts'
import { startProxy } from '../../support/start-proxy.ts'
import { useBroker } from '../../support/use-broker.ts'
import { startScriptedServer } from './scripted-server.ts'

const broker = await useBroker()
const quick = { backoff: { initialMs: 5, maxMs: 50 } }

async function setup(options: SessionOptions = {}) {
  const proxy = await startProxy({ target: parseAmqpUrl(broker.url)[0]!.port })
  const session = await Session.open(proxy.urlFor(broker.url), { ...quick, ...options })
  const direct = await Session.open(broker.url)
  onTestFinished(async () => {
    await session.close()
    await direct.close()
    proxy.close()
  })
  return { proxy, session, direct, admin: await direct.openChannel() }
}

function withoutJitter(): void {
  const random = vi.spyOn(Math, 'random').mockReturnValue(0)
  onTestFinished(() => random.mockRestore())
}

describe('a session', () => {
  it('comes back after a cut and opens its channels again, consumers included', async () => {
    const { proxy, session, direct, admin } = await setup()
    const queue = namePerTry('work')
    await declareQueue(admin, { queue })
    const seen: Delivery[] = []
    const consumer = session.superviseChannel('work', async (channel) => {
      await channel.consume(queue, (delivery) => seen.push(delivery))
    })
    const publisher = new Publisher(direct)
    await consumer.whenOpen()
    await publisher.publish({ key: queue, body: 'before' })
    await eventually(() => expect(seen).toHaveLength(1))

    proxy.cutAll()
    // The first one comes again, since it was not acked. Only then has the broker noticed the cut; before, it may hand
    // the second one to the dying connection, or to the new consumer ahead of the first.
    await eventually(() => expect(seen).toHaveLength(2))
    await publisher.publish({ key: queue, body: 'after' })

    await eventually(() => expect(seen).toHaveLength(3))
    expect(seen.map(({ body }) => String(body))).toEqual(['before', 'before', 'after'])
    expect(seen.map(({ isRedelivered }) => isRedelivered)).toEqual([false, true, false])
    expect(seen[0]?.isCurrent).toBe(false)
  })

  it('logs in with the new password after it was told one', async () => {
    const user = `rotated-${broker.vhost}`
    const setPassword = (password: string): Promise<unknown> =>
      broker.management('PUT', `/api/users/${user}`, { password, tags: '' })
    await setPassword('first')
    onTestFinished(async () => void (await broker.management('DELETE', `/api/users/${user}`)))
    await broker.management('PUT', `/api/permissions/${broker.vhost}/${user}`, {
      configure: '.*',
      write: '.*',
      read: '.*',
    })
    const proxy = await startProxy({ target: parseAmqpUrl(broker.url)[0]!.port })
    const url = new URL(proxy.urlFor(broker.url))
    Object.assign(url, { username: user, password: 'first' })
    const session = await Session.open(url.href, quick)
    onTestFinished(async () => {
      await session.close()
      proxy.close()
    })

    await setPassword('second')
    await session.updateSecret('second', 'rotation')
    const reconnected = new Promise<void>((resolve) => session.events.on('connected', () => resolve()))
    proxy.cutAll()

    await reconnected
    expect(session.state).toBe('connected')
  })

  it('never lets an ack of before the cut reach a message of after it', async () => {
    const { proxy, session, direct, admin } = await setup()
    const queue = namePerTry('epochs')
    await declareQueue(admin, { queue })
    const publisher = new Publisher(direct)
    for (const body of ['a', 'b', 'c']) await publisher.publish({ key: queue, body })
    const seen: Delivery[] = []
    const consumer = session.superviseChannel('epochs', async (channel) => {
      await channel.consume(queue, (delivery) => seen.push(delivery))
    })
    await eventually(() => expect(seen).toHaveLength(3))
    const stale = seen.splice(0)

    proxy.cutAll()
    await eventually(() => expect(seen).toHaveLength(3))
    const settled = stale.map((delivery) => [
      delivery.ack(),
      delivery.nack({ requeue: false }),
      delivery.deliveryTag,
    ])

    expect(settled).toEqual([
      ['stale', 'stale', 1],
      ['stale', 'stale', 2],
      ['stale', 'stale', 3],
    ])
    expect((await consumer.whenOpen()).openDeliveries).toBe(3)
    await consumer.close()
    await eventually(async () => expect((await inspectQueue(admin, queue)).messageCount).toBe(3))
  })

  it('opens a channel again that the broker closed alone, and the four others do not notice', async () => {
    const { session } = await setup()
    const opened: string[] = []
    session.events.on('channel-opened', ({ channel }) => opened.push(channel))
    const channels = [1, 2, 3, 4, 5].map((n) => session.superviseChannel(`c${n}`, async () => {}))
    const before = await Promise.all(channels.map((channel) => channel.whenOpen()))
    const victim = before[2]!

    await expect(inspectQueue(victim, 'no such queue')).rejects.toMatchObject({ replyCode: 404 })

    await eventually(() => expect(channels[2]?.current).toBeDefined())
    const after = channels.map((channel) => channel.current)
    expect(after.map((channel, index) => channel === before[index])).toEqual([true, true, false, true, true])
    expect(opened).toEqual(['c1', 'c2', 'c3', 'c4', 'c5', 'c3'])
  })

  it('waits for a queue that is not there yet, and tells so', async () => {
    withoutJitter()
    const { session, admin } = await setup({ backoff: { initialMs: 4, maxMs: 16 } })
    const failures: string[] = []
    const pauses: number[] = []
    session.events.on('channel-failed', ({ channel, error, nextAttemptMs }) => {
      failures.push(`${channel}: ${error.message}`)
      pauses.push(nextAttemptMs)
    })
    const consumer = session.superviseChannel('early', async (channel) => {
      await channel.consume('late-queue', () => {})
    })
    await eventually(() => expect(failures.length).toBeGreaterThan(3))
    expect(pauses.slice(0, 4)).toEqual([4, 8, 16, 16])

    await declareQueue(admin, { queue: 'late-queue' })

    await consumer.whenOpen()
    expect(failures[0]).toMatch(/early: .*no queue 'late-queue'/)
    await eventually(async () => expect((await inspectQueue(admin, 'late-queue')).consumerCount).toBe(1))
    await deleteQueue(admin, 'late-queue')
  })

  it('waits longer each time a connection dies young, and hardly after one that lived', async () => {
    withoutJitter()
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const { proxy, session } = await setup({ backoff: { initialMs: 4, maxMs: 16 } })
    const pauses: number[] = []
    session.events.on('disconnected', ({ nextAttemptMs }) => pauses.push(nextAttemptMs))
    const loseConnection = async (): Promise<void> => {
      const isBack = new Promise<void>((resolve) => {
        const stop = session.events.on('connected', () => {
          stop()
          resolve()
        })
      })
      proxy.cutAll()
      await isBack
    }

    for (let deaths = 0; deaths < 4; deaths += 1) await loseConnection()
    vi.setSystemTime(Date.now() + 5_000)
    for (let deaths = 0; deaths < 2; deaths += 1) await loseConnection()

    expect(pauses).toEqual([4, 8, 16, 16, 0, 4])
  })

  it('tries its hosts in turn', async () => {
    const { port } = parseAmqpUrl(broker.url)[0]!
    const url = broker.url.replace(`127.0.0.1:${port}`, `127.0.0.1:1,127.0.0.1:${port}`)

    const session = await Session.open(url)
    onTestFinished(() => session.close())

    expect(session.connection?.endpoint.port).toBe(port)
    expect(session.broker.version).toBe(broker.version)
  })

  it('goes on at another host when its own is gone, and stays there', async () => {
    const { port } = parseAmqpUrl(broker.url)[0]!
    const [first, second] = [await startProxy({ target: port }), await startProxy({ target: port })]
    const session = await Session.open([first.urlFor(broker.url), second.urlFor(broker.url)], quick)
    onTestFinished(async () => {
      await session.close()
      first.close()
      second.close()
    })
    expect(session.connection?.endpoint.port).toBe(first.port)
    const nextPort = (): Promise<number | undefined> =>
      new Promise((resolve) => {
        const stop = session.events.on('connected', () => {
          stop()
          resolve(session.connection?.endpoint.port)
        })
      })

    const afterLoss = nextPort()
    first.refuse()
    first.cutAll()
    expect(await afterLoss).toBe(second.port)

    const afterCut = nextPort()
    second.cutAll()
    expect(await afterCut).toBe(second.port)
  })

  it('goes on at another host when one lets it in and throws it out, and stays at one that lived', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const servers = [await startScriptedServer(() => false), await startScriptedServer(() => false)] as const
    const urls = servers.map(({ url }) => url)
    const session = await Session.open(urls, quick)
    onTestFinished(() => session.close())
    const throwOut = (): Promise<number | undefined> => {
      const isBack = new Promise<number | undefined>((resolve) => {
        const stop = session.events.on('connected', () => {
          stop()
          resolve(session.connection?.endpoint.port)
        })
      })
      for (const { socket } of servers.flatMap(({ peers }) => peers)) socket.destroy()
      return isBack
    }

    const young = [await throwOut(), await throwOut()]
    vi.setSystemTime(Date.now() + 5_000)
    const afterLong = await throwOut()

    const [first, second] = urls.map((url) => Number(new URL(url).port))
    expect([...young, afterLong]).toEqual([second, first, first])
  })

  it('waits for a broker that is still starting when it is told to', async () => {
    const proxy = await startProxy({ target: parseAmqpUrl(broker.url)[0]!.port })
    onTestFinished(() => proxy.close())
    proxy.refuse()
    const opening = Session.open(proxy.urlFor(broker.url), { ...quick, waitForBrokerMs: 20_000 })

    await proxy.accept()

    const session = await opening
    expect(session.state).toBe('connected')
    await session.close()
  })

  it('does not storm a broker that refuses its password', async () => {
    const { proxy, session } = await setup({ backoff: { initialMs: 5, maxMs: 60_000 } })
    const attempts: number[] = []
    session.events.on('connect-failed', ({ nextAttemptMs }) => attempts.push(nextAttemptMs))
    const user = `/api/users/temporary-${broker.vhost}`
    await broker.management('PUT', user, { password: 'one', tags: '' })
    await broker.management('PUT', `/api/permissions/${broker.vhost}/temporary-${broker.vhost}`, {
      configure: '.*',
      write: '.*',
      read: '.*',
    })
    const url = proxy.urlFor(broker.url).replace(/\/\/[^@]*@/, `//temporary-${broker.vhost}:one@`)
    const victim = await Session.open(url, { backoff: { initialMs: 5, maxMs: 60_000 } })
    onTestFinished(() => victim.close())
    const pauses: number[] = []
    const failed = new Promise<void>((resolve) =>
      victim.events.on('connect-failed', ({ nextAttemptMs, error }) => {
        if (error.isFinal) pauses.push(nextAttemptMs)
        if (error.isFinal) resolve()
      }),
    )

    await broker.management('PUT', user, { password: 'two', tags: '' })
    proxy.cutAll()
    await failed

    expect(pauses).toHaveLength(1)
    expect(pauses[0]).toBeGreaterThanOrEqual(30_000)
    await broker.management('DELETE', user)
  })

  it('can be closed while it tries to come back', async () => {
    const { proxy, session } = await setup()
    const lost = new Promise((resolve) => session.events.on('connect-failed', resolve))
    const channel = session.superviseChannel('any', async () => {})
    await channel.whenOpen()
    proxy.refuse()
    proxy.cutAll()
    await lost
    const waiting = channel.whenOpen()

    await session.close()

    await expect(waiting).rejects.toMatchObject({ code: 'CHANNEL_CLOSED' })
    await expect(session.whenConnected()).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' })
    expect(session.state).toBe('closed')
  })
})
