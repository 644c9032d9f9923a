import { once } from 'node:events'
import { expect, it, onTestFinished } from 'vitest'
import { defer, type Handler, reject, retry } from '../../../packages/warrenmq/src/index.ts'
import { startEmbeddedBroker } from '../../../packages/warrenmq/src/testing.ts'
import { collect, createConsumerRig } from './consumer-rig.ts'

async function setup() {
  const broker = await startEmbeddedBroker({ clock: 'virtual' })
  onTestFinished(() => broker.stop())
  const work = { retry: { delays: ['30s'], maxAttempts: 2 } }
  const rig = await createConsumerRig({ url: broker.url, declaration: { queues: { work } } })
  return { ...rig, broker }
}

it('an answer that was not called is a warning and a retry, and never acknowledges the message', async () => {
  const { broker, consume, publisher } = await setup()
  const warned = once(process, 'warning')
  // @ts-expect-error retry is not called
  const handler: Handler = (_, { attempt }) => (attempt === 1 ? retry : undefined)
  const consumer = await consume('work', handler)
  const settled = collect(consumer, 'delivery.settled')

  await publisher.publish({ key: 'work', body: 'x' })
  await broker.settled()
  await broker.clock.advance('30s')

  expect(settled.map(({ outcome }) => outcome)).toMatchObject([
    { kind: 'retry', failure: { errorCode: 'HANDLER_ANSWER_WRONG' } },
    { kind: 'acknowledge' },
  ])
  expect(await warned).toMatchObject([{ code: 'WARREN_WRONG_ANSWER' }])
})

it('TypeScript finds what is no answer, and takes what is one', () => {
  const answers: readonly Handler[] = [
    () => undefined,
    async () => {},
    () => retry(),
    async () => reject('no such order'),
    async () => (Math.random() < 0.5 ? defer('30s') : undefined),
    () => ({ status: 503, retryAfterMs: 1_000 }),
    () => fetch('http://127.0.0.1/'),
  ]
  const mistakes: readonly Handler[] = [
    // @ts-expect-error it is not called
    () => retry,
    // @ts-expect-error nor is it here
    async () => reject,
    // @ts-expect-error text is no answer
    async () => 'retry',
    // @ts-expect-error nor is an object that looks like one
    () => ({ kind: 'retry' }),
  ]

  expect([answers.length, mistakes.length]).toEqual([7, 4])
})
