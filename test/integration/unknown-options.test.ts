import { expect, it, onTestFinished } from 'vitest'
import { startEmbeddedBroker } from '../../packages/warrenmq/src/embedded/start-embedded-broker.ts'
import {
  connect,
  dedupe,
  defineTopology,
  httpHandler,
  ignoreErrors,
  jsonLogger,
  logConsumer,
  memoryDedupeStore,
  processAfterDelay,
  retry,
  signBody,
  throttle,
  validateBody,
  type Warren,
} from '../../packages/warrenmq/src/index.ts'

const topology = defineTopology({ queues: { orders: { retry: { delays: ['1s'], maxAttempts: 2 } } } })
const handler = () => undefined

async function setup() {
  const broker = await startEmbeddedBroker()
  onTestFinished(broker.stop)
  const warren = await connect(broker.url, { topology, managementUrl: broker.managementUrl })
  onTestFinished(() => warren.close())
  await warren.apply()
  return { broker, warren }
}

type Line = Awaited<ReturnType<typeof setup>>

/** What a program without types may pass. */
const any = (value: object): never => value as never

const calls: [string, (line: Line) => unknown, string][] = [
  [
    'connect',
    ({ broker }) => connect(broker.url, any({ topologi: 1 })),
    'connect() has no option "topologi"; did you mean "topology"?',
  ],
  ['connect', ({ broker }) => connect(broker.url, any({ heartbeatSecond: 1 })), 'mean "heartbeatSeconds"?'],
  [
    'connect.backoff',
    ({ broker }) => connect(broker.url, any({ backoff: { maxMS: 1, max: 2 } })),
    'mean "maxMs"?',
  ],
  [
    'connect.tls',
    ({ broker }) => connect(broker.url, any({ tls: { rejectUnauthorised: true } })),
    'mean "rejectUnauthorized"?',
  ],
  [
    'publisher',
    ({ warren }) => warren.publisher(any({ resned: true })),
    'publisher() has no option "resned"; did you mean "resend"?',
  ],
  ['publisher', ({ warren }) => warren.publisher(any({ dedline: 5 })), 'mean "deadline"?'],
  [
    'publisher',
    ({ warren }) => warren.publisher({ deadline: '5s', deadlineMs: 5_000 }),
    'publisher() got deadline and deadlineMs, which are the same. Use only deadline.',
  ],
  [
    'publish',
    ({ warren }) =>
      warren.publisher().publish({ key: 'orders', body: 1, expiration: '5s', expirationMs: 5_000 }),
    'publish() got expiration and expirationMs, which are the same.',
  ],
  ['publisher.window', ({ warren }) => warren.publisher(any({ window: { message: 5 } })), 'mean "messages"?'],
  ['publisher.waiting', ({ warren }) => warren.publisher(any({ waiting: { byte: 5 } })), 'mean "bytes"?'],
  ['publish', ({ warren }) => warren.publisher().publish(any({ key: 'orders', bdoy: 1 })), 'mean "body"?'],
  ['publisher.close', ({ warren }) => warren.publisher({}).close(any({ dedline: 1 })), 'mean "deadline"?'],
  [
    'consume',
    ({ warren }) => warren.consume('orders', handler, any({ concurency: 3 })),
    'mean "concurrency"?',
  ],
  [
    'consume.breaker',
    ({ warren }) => warren.consume('orders', handler, any({ breaker: { fooBar: 2 } })),
    'has no option "fooBar"',
  ],
  [
    'consume.statusTable',
    ({ warren }) =>
      warren.consume(
        'orders',
        handler,
        any({ statusTable: { rules: [], honoursRetryAfter: true, rule: 1 } }),
      ),
    'mean "rules"?',
  ],
  [
    'consume.statusTable.rules',
    ({ warren }) =>
      warren.consume(
        'orders',
        handler,
        any({
          statusTable: { rules: [{ from: 200, mean: 'retry', means: 'retry' }], honoursRetryAfter: true },
        }),
      ),
    'mean "means"?',
  ],
  [
    'consumer.close',
    ({ warren }) => consumerOf(warren).then((consumer) => consumer.close(any({ dedline: 1 }))),
    'mean "deadline"?',
  ],
  ['peek', ({ warren }) => warren.deadLetters('orders').peek(any({ counts: 1 })), 'mean "count"?'],
  ['causes', ({ warren }) => warren.deadLetters('orders').causes(any({ were: 'x' })), 'mean "where"?'],
  ['preview', ({ warren }) => warren.deadLetters('orders').preview(any({ limits: 5 })), 'mean "limit"?'],
  [
    'redrive',
    ({ warren }) => warren.deadLetters('orders').redrive(any({ rate: 5 })),
    'mean "ratePerSecond"?',
  ],
  [
    'redrive.to',
    ({ warren }) => warren.deadLetters('orders').redrive(any({ to: { que: 'a' } })),
    'mean "queue"?',
  ],
  [
    'redrive.canary',
    ({ warren }) => warren.deadLetters('orders').redrive(any({ canary: { message: 1 } })),
    'mean "messages"?',
  ],
  ['recover', ({ warren }) => warren.recover(any({ sginal: 1 })), 'mean "signal"?'],
  ['close', ({ warren }) => warren.close(any({ deadlin: '2s' })), 'mean "deadline"?'],
  ['httpHandler', () => httpHandler(any({ url: 'http://a', timeoutMs: 5 })), 'mean "timeout"?'],
  ['dedupe', () => dedupe(memoryDedupeStore(), any({ keeep: '1d' })), 'mean "keep"?'],
  ['memoryDedupeStore', () => memoryDedupeStore(any({ limits: 5 })), 'mean "limit"?'],
  ['processAfterDelay', () => processAfterDelay(any({ headers: 'a' })), 'mean "header"?'],
  ['throttle', () => throttle(any({ perSeconds: 5 })), 'mean "perSecond"?'],
  ['jsonLogger', () => jsonLogger(any({ leve: 'debug' })), 'mean "level"?'],
  ['retry', () => retry(any({ afer: '5s' })), 'mean "after"?'],
  ['signBody', () => signBody(any({ boddy: 'x' })), 'mean "body"?'],
  ['startEmbeddedBroker', () => startEmbeddedBroker(any({ profil: '4.0' })), 'mean "profile"?'],
  ['inspect', ({ broker }) => broker.inspect('orders', any({ host: 'a' })), 'mean "vhost"?'],
  [
    'changeConfirms',
    ({ broker }) => broker.faults.changeConfirms({ kind: 'nack' }, any({ counts: 2 })),
    'mean "count"?',
  ],
  ['returnPublishes', ({ broker }) => broker.faults.returnPublishes(any({ counts: 2 })), 'mean "count"?'],
  [
    'cutConnection',
    ({ broker }) => broker.faults.cutConnection('before-publish', any({ nht: 2 })),
    'mean "nth"?',
  ],
  ['closeChannels', ({ broker }) => broker.faults.closeChannels(any({ queues: 'a' })), 'mean "queue"?'],
  [
    'defineTopology',
    () => defineTopology(any({ exchanges: { events: { type: 'topci' } }, queues: {} })),
    'mean "topic"?',
  ],
]

/** Values that a compiler would refuse, and that would show only when a message, a signal or a test comes to them. */
const values: [string, (line: Line) => unknown, string][] = [
  ['connect', () => connect(undefined as never), 'got no URL'],
  ['connect', () => connect([5] as never), 'got no URL'],
  ['connect.closeOn', ({ broker }) => connect(broker.url, any({ closeOn: ['SIGTREM'] })), 'mean "SIGTERM"?'],
  ['connect.closeOn', ({ broker }) => connect(broker.url, any({ closeOn: 'SIGTERM' })), 'must be a list'],
  ['connect.closeDeadline', ({ broker }) => connect(broker.url, any({ closeDeadline: 'soon' })), "'soon'"],
  [
    'connect.managementUrl',
    ({ broker }) => connect(broker.url, any({ managementUrl: 5 })),
    'managementUrl is 5',
  ],
  // Compared with, it is never reached: the first connection would be waited for without an end.
  [
    'connect.waitForBrokerMs',
    ({ broker }) => connect(broker.url, any({ waitForBrokerMs: '30s' })),
    "waitForBrokerMs of connect() is '30s'; it must be a number, 0 or more.",
  ],
  [
    'connect.backoff',
    ({ broker }) => connect(broker.url, any({ backoff: { initialMs: 100, maxMs: Number.NaN } })),
    'maxMs of backoff is NaN',
  ],
  [
    'connect.heartbeatSeconds',
    ({ broker }) => connect(broker.url, any({ heartbeatSeconds: '20' })),
    "is '20'",
  ],
  ['updateSecret', ({ warren }) => warren.updateSecret(undefined as never, 'new'), 'both as text'],
  [
    'redrive.to',
    ({ warren }) => warren.deadLetters('orders').redrive(any({ to: 'orign' })),
    'mean "origin"?',
  ],
  [
    'preview.to',
    ({ warren }) => warren.deadLetters('orders').preview(any({ to: 'orign' })),
    'mean "origin"?',
  ],
  [
    'redrive.attempts',
    ({ warren }) => warren.deadLetters('orders').redrive(any({ attempts: 'contine' })),
    'mean "continue"?',
  ],
  // A list would be read in part, and would choose other messages than both filters say.
  [
    'redrive.where',
    ({ warren }) => warren.deadLetters('orders').redrive(any({ where: ['key:a', 'key:b'] })),
    "where of redrive() is a list; it must be text, such as 'cause:Timeout and died<2h'.",
  ],
  [
    'preview.where',
    ({ warren }) => warren.deadLetters('orders').preview({ where: null as never }),
    'where of preview() is null; it must be text, such as',
  ],
  [
    'peek.where',
    ({ warren }) => warren.deadLetters('orders').peek(any({ where: 5 })),
    'where of peek() is 5; it must be text',
  ],
  ['causes.groupBy', ({ warren }) => warren.deadLetters('orders').causes(any({ groupBy: 5 })), 'is 5'],
  [
    'redrive.limit',
    ({ warren }) => warren.deadLetters('orders').redrive(any({ limit: '5' })),
    "limit of redrive() is '5'",
  ],
  ['redrive.limit', ({ warren }) => warren.deadLetters('orders').redrive({ limit: Number.NaN }), 'is NaN'],
  ['redrive.limit', ({ warren }) => warren.deadLetters('orders').redrive({ limit: -1 }), 'from 1 up'],
  [
    'redrive.ratePerSecond',
    ({ warren }) => warren.deadLetters('orders').redrive(any({ ratePerSecond: 'slow' })),
    "ratePerSecond of redrive() is 'slow'",
  ],
  [
    'deadLetters',
    ({ warren }) => warren.deadLetters(undefined as never),
    'takes the name of a queue, but got undefined',
  ],
  ['ignoreErrors', () => ignoreErrors('NotFound' as never), 'takes a function'],
  ['logConsumer', () => logConsumer(any({}), jsonLogger()), 'takes a consumer'],
  ['dedupe', () => dedupe(any({})), 'begin, finish and release'],
  ['dedupe', () => dedupe(undefined as never), 'begin, finish and release'],
  ['validateBody', () => validateBody(any({ parse: () => 1 })), 'Standard Schema'],
  ['validateBody', () => validateBody(undefined as never), 'Standard Schema'],
  ['jsonLogger', () => jsonLogger(any({ level: 'dbug' })), 'mean "debug"?'],
  ['startEmbeddedBroker', () => startEmbeddedBroker(any({ profile: '5.0' })), "'3.10', '4.0', '4.3'"],
  ['startEmbeddedBroker', () => startEmbeddedBroker(any({ clock: 'virtuel' })), 'mean "virtual"?'],
  ['cutConnection', ({ broker }) => broker.faults.cutConnection(any('before-akc' as never)), '"before-ack"?'],
  ['changeConfirms', ({ broker }) => broker.faults.changeConfirms(any({ kind: 'nak' })), 'mean "nack"?'],
  [
    'changeConfirms',
    ({ broker }) => broker.faults.changeConfirms(any({ kind: 'delay', dealyMs: 5 })),
    'mean "delayMs"?',
  ],
]

it.each(values)('%s refuses a value that cannot be meant: %#', async (_, call, sentence) => {
  const line = await setup()

  await expect((async () => call(line))()).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
    message: expect.stringContaining(sentence),
  })
})

function consumerOf(warren: Warren<'orders'>) {
  return warren.consume('orders', handler)
}

it.each(calls)('%s refuses a name that it does not know: %#', async (_, call, sentence) => {
  const line = await setup()

  await expect((async () => call(line))()).rejects.toMatchObject({
    code: expect.stringMatching(/^(INVALID_ARGUMENT|TOPOLOGY_INVALID)$/),
    message: expect.stringContaining(sentence),
  })
})

it.each([
  ['close', ({ warren }: Line) => warren.close(any('2s' as never)), 'takes an object with deadline'],
  ['connect', ({ broker }: Line) => connect(broker.url, null as never), 'takes an object with'],
  ['consume', ({ warren }: Line) => warren.consume('orders', handler, null as never), 'must be an object'],
])('%s refuses options that are none', async (_, call, sentence) => {
  const line = await setup()

  await expect((async () => call(line))()).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
    message: expect.stringContaining(sentence),
  })
})
