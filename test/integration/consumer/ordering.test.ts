import { describe, expect, it } from 'vitest'
import type { Handler } from '../../../packages/warrenmq/src/consumer/handler.ts'
import { defer } from '../../../packages/warrenmq/src/consumer/handler-answer.ts'
import { eventually } from '../../support/eventually.ts'
import { useBroker } from '../../support/use-broker.ts'
import { createConsumerRig } from './consumer-rig.ts'

const broker = await useBroker()
let made = 0

/** A consumer that keeps messages of one first letter in order; says what ran, and that no two of a letter ever met. */
async function setup(answer: Handler) {
  made += 1
  const name = `ordered-${made}`
  const rig = await createConsumerRig({
    url: broker.url,
    declaration: { queues: { [name]: { retry: { delays: [30], maxAttempts: 3 } } } },
  })
  const ran: string[] = []
  const busy = new Set<string>()
  let hasMet = false
  const handler: Handler = async (message, context) => {
    const body = message.body as string
    hasMet ||= busy.has(body[0]!)
    busy.add(body[0]!)
    await new Promise((resolve) => setImmediate(resolve))
    busy.delete(body[0]!)
    ran.push(`${body} at ${context.attempt}`)
    return answer(message, context)
  }
  // Before there is a consumer, so that all are delivered together.
  for (const body of ['a1', 'a2', 'b1', 'a3']) await rig.publisher.publish({ key: name, body })
  const orderBy: NonNullable<Parameters<typeof rig.consume>[2]>['orderBy'] = ({ body }) => (body as string)[0]
  const consumer = await rig.consume(name, handler, { concurrency: 4, prefetch: 10, orderBy })
  const ofKey = (key: string) => ran.filter((run) => run.startsWith(key))
  return { ...rig, name, consumer, ran, ofKey, hasMet: () => hasMet }
}

describe('messages of one key', () => {
  it('do not wait for one of them that is retried, and it is never run beside another', async () => {
    const { ran, ofKey, hasMet, consumer, depth, name } = await setup(({ body }, { attempt }) => {
      if (body === 'a1' && attempt === 1) throw new Error('not yet')
    })

    await eventually(() => expect(ran).toHaveLength(5))

    expect(ofKey('a')).toEqual(['a1 at 1', 'a2 at 1', 'a3 at 1', 'a1 at 2'])
    expect(ofKey('b')).toEqual(['b1 at 1'])
    expect(hasMet()).toBe(false)
    await consumer.close()
    expect(await depth(name)).toBe(0)
  })

  it('do not wait for one of them that is deferred, which costs it no attempt', async () => {
    let isEarly = true
    const { ran, ofKey, hasMet, consumer, depth, name } = await setup(({ body }) => {
      if (body !== 'a1' || !isEarly) return undefined
      isEarly = false
      return defer(40)
    })

    await eventually(() => expect(ran).toHaveLength(5))

    expect(ofKey('a')).toEqual(['a1 at 1', 'a2 at 1', 'a3 at 1', 'a1 at 1'])
    expect(hasMet()).toBe(false)
    await consumer.close()
    expect(await depth(name)).toBe(0)
  })
})
