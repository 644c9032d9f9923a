import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import amqplib, { type Channel, type ConsumeMessage } from 'amqplib'
import { expect, onTestFinished, test } from 'vitest'
import {
  type EmbeddedBroker,
  type EmbeddedBrokerOptions,
  startEmbeddedBroker,
} from './start-embedded-broker.ts'

async function setup(
  settleTimeoutMs = 300,
  options: EmbeddedBrokerOptions = {},
): Promise<{ broker: EmbeddedBroker; channel: Channel }> {
  const broker = await startEmbeddedBroker({ clock: 'virtual', settleTimeoutMs, ...options })
  onTestFinished(broker.stop)
  await openChannel(broker) // one that has nothing to do
  return { broker, channel: await openChannel(broker) }
}

async function openChannel(broker: EmbeddedBroker): Promise<Channel> {
  const connection = await amqplib.connect(broker.url)
  connection.on('error', () => undefined)
  const channel = await connection.createChannel()
  channel.on('error', () => undefined)
  return channel
}

test.each<[string, (broker: EmbeddedBroker) => Promise<void>]>([
  ['waiting for rest', (broker) => broker.settled()],
  ['turning the clock', (broker) => broker.clock.advance('1s')],
])('%s fails where a handler gives back all it gets, and names its queue', async (_, wait) => {
  const { broker, channel } = await setup()
  await channel.assertQueue('idle')
  await channel.assertQueue('rounds')
  await channel.consume('rounds', (message) => channel.nack(message!, false, true))
  channel.sendToQueue('rounds', Buffer.from('again'))

  await expect(wait(broker)).rejects.toMatchObject({
    code: 'EMBEDDED_NEVER_SETTLES',
    message: expect.stringMatching(
      /within 300 ms.* is 127\.0\.0\.1:\d+ -> .*, which consumes from "rounds"\./,
    ),
  })
})

/** A wait queue of a second in front of the queue; what dies there comes back. */
async function declareLadder(channel: Channel): Promise<void> {
  const leadsTo = (queue: string) => ({ 'x-dead-letter-exchange': '', 'x-dead-letter-routing-key': queue })
  await channel.assertQueue('work', { arguments: leadsTo('wait') })
  await channel.assertQueue('wait', { arguments: { 'x-message-ttl': 1000, ...leadsTo('work') } })
}

/** Acknowledges what comes from `work`, and sends it to `wait` after a while. */
async function consumeLate(
  broker: EmbeddedBroker,
  channel: Channel,
  goOn: () => Promise<void>,
): Promise<{ seconds: readonly number[] }> {
  const startedAt = broker.clock.now()
  const seconds: number[] = []
  const handle = async (message: ConsumeMessage | null): Promise<void> => {
    seconds.push((broker.clock.now() - startedAt) / 1000)
    channel.ack(message!)
    await goOn()
    channel.sendToQueue('wait', message!.content)
  }
  await channel.consume('work', (message) => void handle(message))
  return { seconds }
}

function warningOf(code: string): Promise<Error> {
  return new Promise((resolve) => {
    const onWarning = (warning: Error): void => {
      if ((warning as NodeJS.ErrnoException).code === code) resolve(warning)
    }
    process.on('warning', onWarning)
    onTestFinished(() => void process.off('warning', onWarning))
  })
}

test('time waits for a handler that takes longer than its client gathers acks', async () => {
  const { broker, channel } = await setup(30_000)
  await declareLadder(channel)
  const startedAt = broker.clock.now()
  const seenAt: number[] = []
  const handle = async (message: ConsumeMessage | null): Promise<void> => {
    seenAt.push(broker.clock.now() - startedAt)
    await sleep(120)
    channel.nack(message!, false, false)
  }
  await channel.consume('work', (message) => void handle(message))
  channel.sendToQueue('work', Buffer.from('slow'))

  await broker.clock.advance('3s')

  expect(seenAt).toEqual([0, 1000, 2000, 3000])
})

test('time waits for what a handler says a moment after its ack', async () => {
  const { broker, channel } = await setup(30_000)
  await declareLadder(channel)
  const { seconds } = await consumeLate(broker, channel, () => sleep(0))
  channel.sendToQueue('work', Buffer.from('ack first'))

  await broker.clock.advance('5s')

  expect(seconds).toEqual([0, 1, 2, 3, 4, 5])
})

test('time waits as long as asked for work that shows only when it ends', async () => {
  const { broker, channel } = await setup(30_000, { quietMs: 300 })
  await declareLadder(channel)
  const { seconds } = await consumeLate(broker, channel, () => sleep(10, undefined, { ref: false }))
  channel.sendToQueue('work', Buffer.from('x'))

  await broker.clock.advance('2s')

  expect(seconds).toEqual([0, 1, 2])
})

test('time waits for a file that a handler writes after its ack', async () => {
  const { broker, channel } = await setup(30_000)
  await declareLadder(channel)
  const directory = await mkdtemp(join(tmpdir(), 'warren-wake-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  const { seconds } = await consumeLate(broker, channel, async () => {
    for (let round = 0; round < 20; round += 1)
      await writeFile(join(directory, 'log'), Buffer.alloc(1_000_000))
  })
  channel.sendToQueue('work', Buffer.from('x'))

  await broker.clock.advance('2s')

  expect(seconds).toEqual([0, 1, 2])
})

test('time does not wait for timers that are repeated, do not hold the process, or belong to the test', async () => {
  const { broker, channel } = await setup(30_000, { timersMs: 100_000 })
  await channel.assertQueue('work')
  const timers: NodeJS.Timeout[] = []
  onTestFinished(() => {
    for (const timer of timers) clearTimeout(timer)
  })
  await channel.consume('work', (message) => {
    timers.push(
      setInterval(() => undefined, 1),
      setTimeout(() => undefined, 90_000).unref(),
      setTimeout(() => undefined, 200_000),
    )
    channel.ack(message!)
  })
  channel.sendToQueue('work', Buffer.from('x'))
  await broker.settled()
  channel.sendToQueue('work', Buffer.from('y'))

  const advanced = broker.clock.advance('1s')
  timers.push(setTimeout(() => undefined, 90_000))
  await advanced

  expect(timers).toHaveLength(7)
})

test('a timer that is longer than time waits is told of, with its line and the consumer', async () => {
  const { broker, channel } = await setup(30_000, { timersMs: 20 })
  await channel.assertQueue('work')
  await channel.consume(
    'work',
    (message) => {
      channel.ack(message!)
      const timer = setTimeout(() => undefined, 5000)
      onTestFinished(() => clearTimeout(timer))
    },
    { consumerTag: 'slow' },
  )
  channel.sendToQueue('work', Buffer.from('x'))
  const warning = warningOf('EMBEDDED_PASSED_OVER')

  await broker.clock.advance('1s')

  expect((await warning).message).toMatch(
    /a timer of 5000 ms that was started at .*settle\.test\.ts:\d+:\d+\)? after a delivery from "work" with consumer "slow" of 127/,
  )
})

test('who publishes after time has gone on without it is named', async () => {
  const { broker, channel } = await setup(30_000, { timersMs: 20 })
  const other = await openChannel(broker)
  await declareLadder(other)
  await channel.assertQueue('audit')
  const publishedLate = new Promise<void>((resolve) => {
    const publishLate = async (message: ConsumeMessage | null): Promise<void> => {
      channel.ack(message!)
      await sleep(1000)
      channel.sendToQueue('audit.done', Buffer.from('late'))
      resolve()
    }
    void channel.consume('audit', (message) => void publishLate(message), { consumerTag: 'auditor' })
  })
  await other.consume('work', (message) => void publishedLate.then(() => other.ack(message!)))
  other.sendToQueue('wait', Buffer.from('a second later'))
  await other.checkQueue('wait')
  channel.sendToQueue('audit', Buffer.from('x'))

  await expect(broker.clock.advance('1s')).rejects.toMatchObject({
    code: 'EMBEDDED_PASSED_OVER',
    message: expect.stringMatching(
      /then 127\S+ -> \S+ published\. The reason is a timer of 1000 ms, .* from "audit" with consumer "auditor" of 127/,
    ),
  })
})

test('who publishes in its time is not taken for late because a timer of somebody else has run out', async () => {
  const { broker, channel } = await setup(30_000, { timersMs: 50 })
  const publishing = await openChannel(broker)
  await declareLadder(publishing)
  // Of a runner that shares the process, such as Jest's for its report.
  let runOut: () => void = () => undefined
  const hasRunOut = new Promise<void>((resolve) => {
    runOut = resolve
  })
  let rounds = 0
  const goRound = async (message: ConsumeMessage | null): Promise<void> => {
    rounds += 1
    if (rounds === 1) setTimeout(runOut, 300)
    else await hasRunOut
    channel.ack(message!)
    setTimeout(() => publishing.sendToQueue('wait', Buffer.from('again')), 5)
  }
  await channel.consume('work', (message) => void goRound(message))
  publishing.sendToQueue('work', Buffer.from('first'))
  await publishing.checkQueue('work')

  await broker.clock.advance('3s')

  expect(rounds).toBe(4)
})

test('a test is told for whom time waits before its runner loses patience', async () => {
  const { broker, channel } = await setup(30_000)
  await channel.assertQueue('work')
  const warning = warningOf('EMBEDDED_STILL_IN_HAND')
  await channel.consume('work', (message) => void warning.then(() => channel.ack(message!)), {
    consumerTag: 'patient',
  })
  channel.sendToQueue('work', Buffer.from('x'))

  await broker.clock.advance('1s')

  expect((await warning).message).toMatch(/1 delivery from "work" with consumer "patient" of 127/)
})

test('a delivery that stays in hand stops the clock, by name, unless it is meant to be held', async () => {
  const { broker, channel } = await setup()
  await channel.assertQueue('work', { arguments: { 'x-message-ttl': 1000 } })
  await channel.consume('work', () => undefined, { consumerTag: 'keeper' })
  channel.sendToQueue('work', Buffer.from('kept'))
  const startedAt = broker.clock.now()

  await expect(broker.clock.advance('1s')).rejects.toMatchObject({
    code: 'EMBEDDED_STILL_IN_HAND',
    message: expect.stringMatching(/after 300 ms: 1 delivery from "work" with consumer "keeper" of 127/),
  })
  expect(broker.clock.now()).toBe(startedAt)

  await broker.clock.advance('1s', { held: 'pass' })
  expect(broker.clock.now()).toBe(startedAt + 1000)
})
