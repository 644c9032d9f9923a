import { randomUUID } from 'node:crypto'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  type DedupeClaim,
  type DedupeStore,
  dedupe,
} from '../../../packages/warrenmq/src/consumer/middleware/dedupe.ts'
import { eventually } from '../../support/eventually.ts'
import { namePerTry } from '../../support/name-per-try.ts'
import type { ServerProcess } from '../../support/services/server-process.ts'
import { startProxy } from '../../support/start-proxy.ts'
import type { TestVhost } from '../../support/use-broker.ts'
import { collect, createConsumerRig } from '../consumer/consumer-rig.ts'
import { openStore, type StoreKind } from './open-store.ts'
import { startClaimer } from './start-claimer.ts'

const longMs = 600_000
const shortMs = 30

export interface DedupeServer extends ServerProcess {
  readonly url: string
}

/** Claims a key that nobody is at. */
async function claimNew(store: DedupeStore, key: string, leaseMs: number = longMs): Promise<DedupeClaim> {
  const answer = await store.begin(key, leaseMs)
  expect(answer).toEqual({ key, token: expect.any(String) })
  return answer as DedupeClaim
}

/** What every store for `dedupe` has to do on its real server. Skipped where there is no server. */
export function describeDedupeStore(
  kind: StoreKind,
  { server, broker }: { readonly server: DedupeServer | undefined; readonly broker: TestVhost },
): void {
  describe.skipIf(!server)(`a dedupe store on ${kind}`, () => {
    const { url, crash, start } = server ?? ({} as DedupeServer)

    async function setup() {
      const { store, close } = await openStore(kind, url)
      onTestFinished(close)
      return store
    }

    it('gives a key to one, keeps it busy meanwhile, and remembers that it is done', async () => {
      const [first, second] = [await setup(), await setup()]
      const key = randomUUID()

      const claim = await claimNew(first, key)
      expect(await second.begin(key, longMs)).toBe('busy')
      expect(await first.begin(key, longMs)).toBe('busy')
      expect(await first.finish(claim, longMs)).toBe(true)
      expect(await second.begin(key, longMs)).toBe('done')
      expect(await first.begin(key, longMs)).toBe('done')
    })

    it('gives a released key to the next who asks', async () => {
      const [first, second] = [await setup(), await setup()]
      const key = randomUUID()
      const claim = await claimNew(first, key)

      await first.release(claim)

      await claimNew(second, key)
    })

    it('tells one of many that ask for a key at the same time that it is new', async () => {
      const stores = await Promise.all([setup(), setup(), setup()])
      const keys = Array.from({ length: 50 }, () => randomUUID())

      const answers = await Promise.all(
        keys.map((key) => Promise.all([...stores, ...stores].map(async (store) => store.begin(key, longMs)))),
      )

      for (const each of answers) {
        expect(each.filter((answer) => answer === 'busy')).toHaveLength(5)
        expect(each.filter((answer) => typeof answer === 'object')).toHaveLength(1)
      }
    })

    it('shares keys out between two processes that claim at once, without an overlap', async () => {
      const claims = Array.from({ length: 200 }, () => ({ key: randomUUID(), leaseMs: longMs }))
      const processes = await Promise.all([
        startClaimer({ kind, url, claims }),
        startClaimer({ kind, url, claims: claims.toReversed() }),
      ])

      const won = await Promise.all(processes.map((each) => each.claim()))

      expect(won.flat().toSorted()).toEqual(claims.map(({ key }) => key).toSorted())
    })

    it('gives what a killed process was at to another, and only when its lease has ended', async () => {
      const store = await setup()
      const [lasting, ending] = [randomUUID(), randomUUID()]
      const claims = [
        { key: lasting, leaseMs: longMs },
        { key: ending, leaseMs: shortMs },
      ]
      const claimer = await startClaimer({ kind, url, claims })

      const claimed = await claimer.claim()
      await claimer.kill9()

      expect(claimed).toEqual([lasting, ending])
      expect(await store.begin(lasting, longMs)).toBe('busy')
      await eventually(() => claimNew(store, ending))
    })

    it('neither lets go of a claim that has passed to somebody else nor finishes it', async () => {
      const [slow, next, third] = [await setup(), await setup(), await setup()]
      const key = randomUUID()
      const ended = await claimNew(slow, key, shortMs)
      const current = await eventually(() => claimNew(next, key))

      await slow.release(ended)
      const isKept = await slow.finish(ended, longMs)

      expect(isKept).toBe(false)
      expect(await third.begin(key, longMs)).toBe('busy')
      expect(await next.finish(current, longMs)).toBe(true)
      expect(await third.begin(key, longMs)).toBe('done')
    })

    it('tells two claims of one process apart when the lease of the first has ended', async () => {
      const store = await setup()
      const key = randomUUID()
      const ended = await claimNew(store, key, shortMs)
      const current = await eventually(() => claimNew(store, key))

      await store.release(ended)

      expect(await store.begin(key, longMs)).toBe('busy')
      await store.release(current)
      await claimNew(store, key)
    })

    it('remembers work that was done after its lease, where nobody took the message over', async () => {
      const store = await setup()
      const key = randomUUID()
      const ended = await claimNew(store, key, shortMs)
      const next = await eventually(() => claimNew(store, key))
      await store.release(next)

      expect(await store.finish(ended, longMs)).toBe(true)

      expect(await store.begin(key, longMs)).toBe('done')
    })

    it('forgets a done message after its time', async () => {
      const store = await setup()
      const key = randomUUID()
      const claim = await claimNew(store, key)

      await store.finish(claim, shortMs)

      await eventually(() => claimNew(store, key))
    })

    it('finishes through a crash of the server, and goes on when it is back', async () => {
      const [store, other] = [await setup(), await setup()]
      const [key, later] = [randomUUID(), randomUUID()]
      const claim = await claimNew(store, key)

      await crash()
      const finished = store.finish(claim, longMs)
      await start()

      expect(await finished).toBe(true)
      expect(await other.begin(key, longMs)).toBe('done')
      await claimNew(store, later)
    })

    it('takes a claim for its own whose answer got lost with the connection', async () => {
      const proxy = await startProxy({ target: Number(new URL(url).port) })
      onTestFinished(() => proxy.close())
      const { store, close } = await openStore(kind, proxy.urlFor(url))
      onTestFinished(close)
      const beside = await openStore(kind, url)
      onTestFinished(beside.close)
      const key = randomUUID()
      await store.begin(randomUUID(), longMs)

      proxy.swallow('to-client')
      const claim = store.begin(key, longMs)
      await eventually(() => beside.knows(key))
      proxy.resume()
      proxy.cutAll()

      expect(await claim).toEqual({ key, token: expect.any(String) })
      expect(await beside.store.begin(key, longMs)).toBe('busy')
    })

    it('lets two consumers that share it handle a message once that was published twice', async () => {
      const stores = [await setup(), await setup()]
      const queue = namePerTry(`dedupe.${kind}`)
      const declaration = { queues: { [queue]: { retry: { delays: ['100ms'], maxAttempts: 3 } } } } as const
      const { consume, publisher, depth } = await createConsumerRig({ url: broker.url, declaration })
      const handled: (string | undefined)[] = []
      const consumers = await Promise.all(
        stores.map((store) =>
          consume(queue, ({ id }) => void handled.push(id), { middleware: [dedupe(store)], prefetch: 10 }),
        ),
      )
      const settled = consumers.map((consumer) => collect(consumer, 'delivery.settled'))

      const ids = Array.from({ length: 20 }, (_, at) => `${queue}-order-${at}`)
      for (const messageId of ids) await publisher.publish({ key: queue, messageId, body: 'first' })
      await eventually(() => expect(settled.flat()).toHaveLength(20))
      for (const messageId of ids) await publisher.publish({ key: queue, messageId, body: 'again' })
      await eventually(() => expect(settled.flat()).toHaveLength(40))

      expect(handled.toSorted()).toEqual(ids.toSorted())
      await eventually(async () => expect(await depth(queue)).toBe(0))
      expect(await depth(`${queue}.dlq`)).toBe(0)
    })
  })
}
