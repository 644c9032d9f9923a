import amqplib, { type Channel, type ChannelModel, type ConsumeMessage } from 'amqplib'
import { describe, expect, onTestFinished, test } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { sharedBroker } from '../support/shared-broker.ts'
import { collect, describeOnBothBrokers } from './clients/on-both-brokers.ts'
import { profileOf } from './profile-of.ts'

/** What random programs cannot show: ends of connections, long waits, and how a stream forgets. */
describeOnBothBrokers('what programs do not reach', (open) => {
  async function connect(url: string): Promise<ChannelModel> {
    const connection = await amqplib.connect(url)
    connection.on('error', () => undefined)
    onTestFinished(() => connection.close().catch(() => undefined))
    return connection
  }

  async function openChannel(connection: ChannelModel): Promise<Channel> {
    const channel = await connection.createChannel()
    channel.on('error', () => undefined)
    return channel
  }

  test('an exclusive queue is refused to other connections and goes with its own', async () => {
    const { url, vhost } = await open()
    const [owner, other] = [await connect(url), await connect(url)]
    const { queue } = await (await openChannel(owner)).assertQueue('mine', { exclusive: true })
    const { queue: nameless } = await (await openChannel(owner)).assertQueue('', { exclusive: true })

    const locked = (await openChannel(other)).checkQueue(queue)
    await expect(locked).rejects.toThrow(
      `405 (RESOURCE-LOCKED) with message "RESOURCE_LOCKED - cannot obtain exclusive access to locked queue 'mine' in vhost '${vhost}'`,
    )
    await owner.close()

    for (const name of [queue, nameless]) {
      await eventually(async () => {
        await expect((await openChannel(other)).checkQueue(name)).rejects.toThrow('404 (NOT-FOUND)')
      })
    }
    expect(nameless).toMatch(/^amq\.gen-[\w-]{22}$/)
  })

  test('an auto-deleting queue goes with its last consumer, whichever way that ends', async () => {
    const { url } = await open()
    const connection = await connect(url)
    const isThere = async (name: string) =>
      (await openChannel(connection)).checkQueue(name).then(
        () => true,
        () => false,
      )
    const [cancelled, closed] = [await openChannel(connection), await openChannel(connection)]
    for (const name of ['cancelled', 'closed']) await cancelled.assertQueue(name, { autoDelete: true })
    const { consumerTag } = await cancelled.consume('cancelled', () => undefined)
    await closed.consume('closed', () => undefined)

    const before = [await isThere('cancelled'), await isThere('closed')]
    await cancelled.cancel(consumerTag)
    await closed.close()

    expect(before).toEqual([true, true])
    await eventually(async () => expect(await isThere('cancelled')).toBe(false))
    await eventually(async () => expect(await isThere('closed')).toBe(false))
  })

  test('a quorum queue that nobody uses is deleted with its messages, one that is consumed is not', async () => {
    const { url } = await open()
    const connection = await connect(url)
    const channel = await connection.createConfirmChannel()
    const args = { 'x-queue-type': 'quorum', 'x-expires': 5000 }
    for (const name of ['unused', 'used', 'dead'])
      await channel.assertQueue(name, {
        arguments:
          name === 'dead'
            ? {}
            : { ...args, 'x-dead-letter-exchange': '', 'x-dead-letter-routing-key': 'dead' },
      })
    await channel.consume('used', () => undefined)
    channel.sendToQueue('unused', Buffer.from('lost'))
    await channel.waitForConfirms()

    await eventually(
      async () => {
        await expect((await openChannel(connection)).checkQueue('unused')).rejects.toThrow('404 (NOT-FOUND)')
      },
      { intervalMs: 500 },
    )

    expect(await channel.checkQueue('used')).toMatchObject({ consumerCount: 1 })
    expect(await channel.checkQueue('dead')).toMatchObject({ messageCount: 0 })
  })

  test('a stream forgets its oldest segments, and a reader starts at what is left', async () => {
    const { url } = await open()
    const connection = await connect(url)
    const channel = await connection.createConfirmChannel()
    await channel.assertQueue('log', {
      arguments: {
        'x-queue-type': 'stream',
        'x-max-length-bytes': 20_000,
        'x-stream-max-segment-size-bytes': 5000,
      },
    })
    const count = 60
    for (let index = 0; index < count; index += 1) {
      channel.sendToQueue('log', Buffer.alloc(1000, String(index).padStart(4, '0')))
      await channel.waitForConfirms()
    }

    const numbers = await eventually(
      async () => {
        const read = await readFrom(connection, { offset: 'first', last: count - 1 })
        // What was asked for is kept, but for the segment at its edge, and at most a few segments more. The broker
        // deletes them one after the other.
        expect(read.length).toBeLessThanOrEqual(32)
        return read
      },
      { intervalMs: 200 },
    )

    expect(numbers).toEqual(Array.from({ length: numbers.length }, (_, at) => numbers[0]! + at))
    expect(numbers.length).toBeGreaterThanOrEqual(10)
    // An offset that is gone is taken for the first that is there. By then still more may be gone.
    const [first] = await readFrom(connection, { offset: 0, last: count - 1 })
    expect(first).toBeGreaterThanOrEqual(numbers[0]!)
  })

  test('a stream forgets segments that are too old as soon as it begins a new one', async () => {
    const { url } = await open()
    const connection = await connect(url)
    const channel = await connection.createConfirmChannel()
    await channel.assertQueue('log', {
      arguments: {
        'x-queue-type': 'stream',
        'x-max-age': '5s',
        'x-stream-max-segment-size-bytes': 5000,
      },
    })
    let count = 0
    async function fillSegments(): Promise<void> {
      for (let left = 12; left > 0; left -= 1) {
        channel.sendToQueue('log', Buffer.alloc(1000, String(count).padStart(4, '0')))
        await channel.waitForConfirms()
        count += 1
      }
    }
    await fillSegments()
    const atOnce = await readFrom(connection, { offset: 'first', last: count - 1 })

    const later = await eventually(
      async () => {
        await fillSegments()
        const read = await readFrom(connection, { offset: 'first', last: count - 1 })
        return (read[0] ?? 0) > 0 ? read : false
      },
      { intervalMs: 200 },
    )

    expect(atOnce).toEqual(Array.from({ length: 12 }, (_, at) => at))
    expect(later).toEqual(Array.from({ length: later.length }, (_, at) => later[0]! + at))
  })

  describe('delayed retry, which there is from 4.3 on', () => {
    const isThere = profileOf(sharedBroker().version) === '4.3'

    async function setup(retry: Record<string, unknown>) {
      const connection = await connect((await open()).url)
      const channel = await connection.createConfirmChannel()
      await channel.assertQueue('work', { arguments: { 'x-queue-type': 'quorum', ...retry } })
      for (const body of ['a', 'b']) channel.sendToQueue('work', Buffer.from(body))
      await channel.waitForConfirms()
      const seen: ConsumeMessage[] = []
      const take = async () => eventually(() => seen.shift() ?? false)
      await channel.consume('work', (message) => seen.push(message!))
      return { channel, seen, take }
    }

    test('holds back what has failed, uncounted, and a purge deletes it', async () => {
      const { channel, seen, take } = await setup({
        'x-delayed-retry-type': 'failed',
        'x-delayed-retry-min': 60_000,
      })
      const [failed, returned] = [await take(), await take()]

      channel.reject(failed, true)
      channel.nack(returned, false, true)
      const [again] = [isThere ? undefined : await take(), await take()].reverse()
      await channel.cancel(again!.fields.consumerTag)
      const { messageCount } = await channel.checkQueue('work')
      const purged = await channel.purgeQueue('work')

      expect(again!.content.toString()).toBe('b')
      expect(seen).toEqual([])
      expect(messageCount).toBe(0)
      expect(purged.messageCount).toBe(isThere ? 1 : 0)
    })

    test('holds back for longer what has failed more often', async () => {
      const { channel, take } = await setup({
        'x-delayed-retry-type': 'all',
        'x-delayed-retry-min': 400,
        'x-delayed-retry-max': 60_000,
      })
      const [first, second] = [await take(), await take()]
      channel.reject(first, true)
      const firstAgain = await take()

      channel.reject(firstAgain, true)
      channel.reject(second, true)
      const order = [await take(), await take()]

      const counts = order.map(({ content, properties: { headers } }) => [
        content.toString(),
        headers?.['x-delivery-count'] as number,
      ])
      expect(counts).toEqual(
        isThere
          ? [
              ['b', 1],
              ['a', 2],
            ]
          : [
              ['a', 2],
              ['b', 1],
            ],
      )
    })

    test('lets a message that is only given back wait the shortest time, however often', async () => {
      const { channel, take } = await setup({
        'x-delayed-retry-type': 'returned',
        'x-delayed-retry-min': 60_000,
      })
      const [returned, failed] = [await take(), await take()]

      channel.nack(returned, false, true)
      channel.reject(failed, true)
      const again = [await take(), ...(isThere ? [] : [await take()])]

      expect(again.map(({ content }) => content.toString()).sort()).toEqual(isThere ? ['b'] : ['a', 'b'])
    })
  })

  /** The numbers of the messages up to the last. RabbitMQ gives offsets to things of its own, too. */
  async function readFrom(
    connection: ChannelModel,
    { offset, last }: { offset: string | number; last: number },
  ): Promise<readonly number[]> {
    const channel = await openChannel(connection)
    await channel.prefetch(200)
    const numbers: number[] = []
    await collect<true>(1, (add) =>
      channel.consume(
        'log',
        (message) => {
          numbers.push(Number(message!.content.subarray(0, 4)))
          channel.ack(message!)
          if (numbers.at(-1) === last) add(true)
        },
        { arguments: { 'x-stream-offset': offset } },
      ),
    )
    await channel.close()
    return numbers
  }
})
