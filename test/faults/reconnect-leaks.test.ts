import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it, onTestFinished } from 'vitest'
import { parseAmqpUrl } from '../../packages/warrenmq/src/broker/amqp/parse-amqp-url.ts'
import { Session } from '../../packages/warrenmq/src/broker/amqp/session.ts'
import type { SessionEvents } from '../../packages/warrenmq/src/broker/amqp/session-events.ts'
import type { SupervisedChannelEvents } from '../../packages/warrenmq/src/broker/amqp/supervised-channel.ts'
import type { EventSource, Events } from '../../packages/warrenmq/src/events.ts'
import { Publisher } from '../../packages/warrenmq/src/publisher/publisher.ts'
import { eventually } from '../support/eventually.ts'
import { resourceCounts } from '../support/resource-counts.ts'
import { startProxy } from '../support/start-proxy.ts'
import { useBroker } from '../support/use-broker.ts'
import { watchAbortListeners, watchSockets, watchTimers } from './reconnect-leaks-watch.ts'

const broker = await useBroker()

// So that what nobody holds any more can be told from what somebody does.
setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

async function setup() {
  const watched = { timers: watchTimers(), abortListeners: watchAbortListeners(), sockets: watchSockets() }
  const proxy = await startProxy({ target: parseAmqpUrl(broker.url)[0]!.port })
  onTestFinished(() => proxy.close())
  // With times as long as this, a timer that nobody clears is still there when they are counted.
  const patient = { connectTimeoutMs: 600_000, replyTimeoutMs: 600_000 }
  const backoff = { initialMs: 1, maxMs: 5 }
  const session = await Session.open(proxy.urlFor(broker.url), { ...patient, backoff })
  const publisher = new Publisher(session)
  const extra = session.superviseChannel('extra', async (channel) => channel.setPrefetch(10))
  await Promise.all([publisher.room(), extra.whenOpen()])

  async function reconnect(): Promise<void> {
    await new Promise<void>((resolve) => {
      const stopListening = extra.events.on('lost', () => {
        stopListening()
        resolve()
      })
      proxy.cutAll()
    })
    await Promise.all([publisher.room(), extra.whenOpen()])
  }

  return { ...watched, proxy, session, publisher, extra, reconnect }
}

function listenerCounts({ session, extra }: Pick<Awaited<ReturnType<typeof setup>>, 'session' | 'extra'>) {
  const sessionEvents = ['connected', 'disconnected', 'blocked', 'unblocked', 'channel-opened'] as const
  const channelEvents = ['opened', 'lost', 'ended'] as const
  return [
    ...sessionEvents.map((name) => listenersOf<SessionEvents>(session.events, name)),
    ...channelEvents.map((name) => listenersOf<SupervisedChannelEvents>(extra.events, name)),
  ]
}

function listenersOf<Contract>(events: Events<Contract>, name: keyof Contract): number {
  return (events as EventSource<Contract>).listenerCount(name)
}

it('200 reconnects in a row leave no socket, timer, listener or channel behind', {
  timeout: 400_000,
}, async () => {
  const setting = await setup()
  const { timers, abortListeners, sockets, proxy, session, publisher, reconnect } = setting
  await reconnect() // what is made once, at the first of them, is not a leak
  const before = {
    resources: resourceCounts(),
    timers: timers.count(),
    abortListeners: abortListeners.count(),
    listeners: listenerCounts(setting),
  }

  for (let round = 0; round < 200; round += 1) await reconnect()

  await eventually(() => expect(proxy.connectionCount()).toBe(1))
  await eventually(() => {
    for (const [kind, count] of Object.entries(resourceCounts())) {
      expect(count, kind).toBeLessThanOrEqual(before.resources[kind] ?? 0)
    }
    expect(timers.count(), timers.describe()).toBeLessThanOrEqual(before.timers)
    expect(abortListeners.count(), 'listeners of abort signals').toBeLessThanOrEqual(before.abortListeners)
    expect(listenerCounts(setting)).toEqual(before.listeners)
  })
  expect(sockets.openedCount()).toBeGreaterThan(200)
  await eventually(() => {
    collectGarbage()
    // The socket of now, and whatever the engine still has in a register; a leak would hold them all.
    expect(sockets.heldCount(), 'sockets that somebody holds').toBeLessThan(10)
  })
  const channelOfLast = await session.openChannel()
  expect(channelOfLast.id).toBeLessThanOrEqual(3) // numbers start anew on each connection: publisher, extra, this
  await eventually(async () => {
    const mine = await broker.management<unknown[]>('GET', `/api/vhosts/${broker.vhost}/connections`)
    expect(mine).toHaveLength(1)
  })
  await publisher.close()
  await session.close()
  await eventually(() => expect(proxy.connectionCount()).toBe(0))
})
