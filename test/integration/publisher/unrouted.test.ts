import { describe, expect, it, onTestFinished } from 'vitest'
import {
  declareExchange,
  declareQueue,
  inspectQueue,
} from '../../../packages/warrenmq/src/broker/amqp/declarations.ts'
import { Session } from '../../../packages/warrenmq/src/broker/amqp/session.ts'
import type {
  EncodedMessage,
  OutgoingMessage,
} from '../../../packages/warrenmq/src/publisher/outgoing-message.ts'
import type { PublishResult } from '../../../packages/warrenmq/src/publisher/publish-result.ts'
import { Publisher, type PublisherOptions } from '../../../packages/warrenmq/src/publisher/publisher.ts'
import { encodeProperties } from '../../../packages/warrenmq/src/wire/properties.ts'
import { namePerTry } from '../../support/name-per-try.ts'
import { useBroker } from '../../support/use-broker.ts'

const broker = await useBroker()

async function setup(options: PublisherOptions = {}) {
  const session = await Session.open(broker.url, { name: 'unrouted' })
  const publisher = new Publisher(session, options)
  onTestFinished(async () => {
    await publisher.close()
    await session.close()
  })
  const channel = await session.openChannel()
  const queue = namePerTry('known')
  await declareQueue(channel, { queue })
  await declareExchange(channel, { exchange: 'events', type: 'topic' })
  const depth = async () => (await inspectQueue(channel, queue)).messageCount
  await publisher.room()
  return { publisher, queue, depth }
}

type Changeable = { -readonly [Name in keyof EncodedMessage]: EncodedMessage[Name] }

/** A message whose key is changed once it is sent, so that its return matches nothing that is under way. */
function publishAndForget(publisher: Publisher, key: string, messageId?: string): Promise<PublishResult> {
  const properties = encodeProperties({ deliveryMode: 2, messageId })
  const message: Changeable = { exchange: '', key, properties, body: Buffer.from('x'), messageId }
  return new Promise((resolve) => {
    publisher.publishEncoded(message, resolve)
    message.key = 'changed'
  })
}

const inDoubt = { kind: 'unknown', wasSent: true, cause: { code: 'PUBLISH_RETURN_UNMATCHED' } }

describe('a return that matches no publish under way', () => {
  it('is of the one that has its id, and the others are confirmed', async () => {
    const { publisher, queue, depth } = await setup()

    const results = await Promise.all([
      publishAndForget(publisher, queue, 'a'),
      publishAndForget(publisher, 'no queue', 'b'),
      publishAndForget(publisher, queue, 'c'),
    ])

    expect(results.map(({ kind }) => kind)).toEqual(['confirmed', 'returned', 'confirmed'])
    expect(await depth()).toBe(2)
  })

  it('is of the only one that is under way', async () => {
    const { publisher } = await setup()

    expect(await publishAndForget(publisher, 'no queue')).toMatchObject({ kind: 'returned', replyCode: 312 })
  })

  it('leaves none of those confirmed that it may be of', async () => {
    const { publisher } = await setup()

    const results = await Promise.all([
      publishAndForget(publisher, 'no queue'),
      publishAndForget(publisher, 'no other queue'),
    ])

    // Where the first is answered before the second comes back, the second is known to be the one.
    expect(results[0]).toMatchObject(inDoubt)
    expect(results[1]!.kind).toMatch(/^(unknown|returned)$/)
  })

  it('is not of those that were sent before one that was returned already', async () => {
    const { publisher, queue } = await setup()
    const plain = (key: string): Promise<PublishResult> =>
      new Promise((resolve) => {
        const properties = encodeProperties({ deliveryMode: 2 })
        publisher.publishEncoded({ exchange: '', key, properties, body: Buffer.from('y') }, resolve)
      })

    const results = await Promise.all([
      publishAndForget(publisher, queue),
      plain('no queue'),
      publishAndForget(publisher, 'no other queue'),
    ])

    expect(results.map(({ kind }) => kind)).toEqual(['confirmed', 'returned', 'returned'])
  })
})

describe('a key of bytes that are no text', () => {
  it('is told by what is on the wire: as two bytes it comes back as one letter', async () => {
    const { publisher, queue } = await setup()

    const results = await Promise.all([
      publisher.publish({ key: queue, body: 'before' }),
      publisher.publish({ key: '\udcc3\udca9', body: 'no queue has it' }),
    ])

    expect(results.map(({ kind }) => kind)).toEqual(['confirmed', 'returned'])
  })
})

describe('a publish that is mandatory unless it says false', () => {
  it.each([0, null, undefined, ''])('comes back although it says %s', async (mandatory) => {
    const { publisher } = await setup()

    const message = { key: 'no queue', body: 'x', mandatory: mandatory as never }

    expect(await publisher.publish(message)).toMatchObject({ kind: 'returned' })
  })
})

describe('a publish that a compiler would refuse', () => {
  const wrong: [string, unknown, string][] = [
    ['with the name of another library', { exchange: 'events', routingKey: 'a', body: 1 }, 'mean "key"?'],
    ['without a key', { exchange: 'events', body: 1 }, 'needs a key'],
    ['with an undefined key', { exchange: 'events', key: undefined, body: 1 }, 'needs a key'],
    ['with null as its key', { exchange: 'events', key: null, body: 1 }, 'needs a key'],
    ['with a number as its key', { exchange: 'events', key: 5, body: 1 }, 'needs a key'],
    ['with half a character in its key', { exchange: 'events', key: 'a\ud83d', body: 1 }, 'half a character'],
    ['with half a character in its exchange', { exchange: '\ude00', key: '', body: 1 }, 'half a character'],
    ['with a number as its exchange', { exchange: 5, key: 'a', body: 1 }, 'exchange is 5'],
    ['with null as its exchange', { exchange: null, key: 'a', body: 1 }, 'exchange is null'],
    ['with a key over 255 bytes', { exchange: 'events', key: 'ä'.repeat(128), body: 1 }, '256 bytes'],
    ['that is no object', undefined, 'publish() takes an object with'],
  ]

  it.each(wrong)('%s is refused at once', async (_, message, sentence) => {
    const { publisher, depth } = await setup()

    await expect(publisher.publish(message as OutgoingMessage)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: expect.stringContaining(sentence),
    })
    expect(publisher.pendingCount).toBe(0)
    expect(await depth()).toBe(0)
  })
})
