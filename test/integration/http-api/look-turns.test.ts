import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { CauseList, Problem } from '../../../packages/cli/src/http-api/contract/contract.ts'
import { eventually } from '../../support/eventually.ts'
import { namePerTry } from '../../support/name-per-try.ts'
import { outlast } from '../../support/outlast.ts'
import { startProxy } from '../../support/start-proxy.ts'
import { type ApiRig, setUpApi } from './api-rig.ts'
import { useApiBroker } from './use-api-broker.ts'

const broker = await useApiBroker()
const { headers } = broker
const viewers = ['vic', 'viola', 'vera', 'vince']

beforeAll(async () => {
  for (const viewer of viewers) await broker.createAccount(viewer, { tag: 'monitoring' })
})

/** Queues from which a consumer takes a message every now and then, for longer than anybody waits for a look. */
async function setUpDrained(rig: ApiRig, count: number): Promise<readonly string[]> {
  const queues = Array.from({ length: count }, (_, at) => `${namePerTry(`drained-${at}`)}.dlq`)
  for (const queue of queues) {
    await rig.declareDlq(queue)
    await rig.publish(Array.from({ length: 5_000 }, (_, body) => ({ key: queue, body })))
    const channel = await rig.consuming.openChannel()
    await channel.setPrefetch(1)
    await channel.consume(queue, ({ deliveryTag }) => {
      // Slow on purpose: the queue has to be in use for as long as the looks last.
      setTimeout(() => {
        if (channel.isOpen) channel.ack(deliveryTag)
      }, 40)
    })
    onTestFinished(() => channel.close())
  }
  return queues
}

it('looks at queues that consumers drain keep nobody else from looking, and end when their clients go', async () => {
  const rig = await setUpApi(broker)
  const calm = `${namePerTry('calm')}.dlq`
  await rig.declareDlq(calm)
  await rig.publish([{ key: calm, body: 1 }])
  const drained = await setUpDrained(rig, viewers.length)
  const url = await rig.listen()
  const gone = new AbortController()
  const ask = (queue: string, from: string, more: RequestInit) =>
    fetch(`${from}/api/v1/dlqs/${queue}/causes`, more)

  const looks = drained.flatMap((queue, at) =>
    [1, 2, 3].map(() => ask(queue, url, { headers: broker.as(viewers[at]!), signal: gone.signal })),
  )
  const answer = await ask(calm, url, { headers })
  gone.abort()
  await Promise.allSettled(looks)

  expect(answer.status).toBe(200)
  // Another server is refused a queue for as long as this one looks at it.
  const elsewhere = await (await setUpApi(broker)).listen()
  for (const queue of drained)
    await eventually(async () => expect((await ask(queue, elsewhere, { headers })).status).toBe(200))
})

describe('over a connection that is slow', () => {
  /** Messages that take a minute to come, seen by a server that has a few seconds for a look. */
  async function setUpSlow(name: string) {
    const proxy = await startProxy({ target: Number(new URL(broker.url).port) })
    onTestFinished(() => proxy.close())
    const queue = `${namePerTry(name)}.dlq`
    const quick = await setUpApi(broker)
    await quick.declareDlq(queue)
    const body = 'x'.repeat(5_000)
    await quick.publish(Array.from({ length: 600 }, (_, at) => ({ key: queue, body, messageId: `m-${at}` })))
    const url = proxy.urlFor(broker.url)
    const rig = await setUpApi({ ...broker, url, server: { limits: { lookTimeout: '4s' } } })
    proxy.throttle(50_000)
    const ask = () => rig.app.inject({ url: `/api/v1/dlqs/${queue}/causes`, headers })
    return { proxy, queue, quick, ask }
  }

  it('a look is answered in its time, tells that it is not whole, and who waits for it is told to come again', async () => {
    const { queue, ask } = await setUpSlow('slow')

    const answers = await outlast(Promise.all([ask(), ask()]), 8_000)

    if (answers === 'too late') throw new Error('The looks were not answered in their time.')
    const [first, second] = answers
    expect([first.statusCode, second.statusCode], first.body + second.body).toEqual([200, 503])
    expect(first.json<CauseList>()).toMatchObject({ queue, present: 600, isWhole: false })
    expect(first.json<CauseList>().seen).toBeGreaterThan(0)
    expect(first.json<CauseList>().seen).toBeLessThan(600)
    expect(second.json<Problem>().code).toBe('API_BUSY')
    expect(second.headers['retry-after']).toBe('5')
    await broker.expectDepths({ [queue]: 600 })
  })

  it('a look leaves its queue soon after, with all messages in their order', async () => {
    const { queue, quick, ask } = await setUpSlow('left')
    const lookElsewhere = () => quick.app.inject({ url: `/api/v1/dlqs/${queue}/messages?limit=1`, headers })

    await ask()
    const left = await outlast(
      eventually(async () => expect((await lookElsewhere()).statusCode).toBe(200)),
      10_000,
    )

    expect(left).not.toBe('too late')
    const ids = (await broker.peek(queue)).map(({ properties }) => properties.messageId)
    expect(ids).toEqual(Array.from({ length: 600 }, (_, at) => `m-${at}`))
  })
})

it('a look that has seen nothing when its time is over is 503, and nothing is lost', async () => {
  const proxy = await startProxy({ target: Number(new URL(broker.url).port) })
  onTestFinished(() => proxy.close())
  const queue = `${namePerTry('late')}.dlq`
  const quick = await setUpApi(broker)
  await quick.declareDlq(queue)
  await quick.publish(Array.from({ length: 40 }, (_, body) => ({ key: queue, body })))
  const rig = await setUpApi({
    ...broker,
    url: proxy.urlFor(broker.url),
    server: { limits: { lookTimeout: '1s' } },
  })
  // Each step of a look takes so long, and it has more than four of them before it sees a message.
  proxy.delay(300)

  const answer = await rig.app.inject({ url: `/api/v1/dlqs/${queue}/causes`, headers })

  expect(answer.json<Problem>(), answer.body).toMatchObject({ status: 503, code: 'API_BUSY' })
  expect(answer.headers['retry-after']).toBe('5')
  await broker.expectDepths({ [queue]: 40 })
})
