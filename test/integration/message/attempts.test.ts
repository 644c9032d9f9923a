import { describe, expect, it, onTestFinished } from 'vitest'
import type { AmqpChannel } from '../../../packages/warrenmq/src/broker/amqp/channel.ts'
import { openConnection } from '../../../packages/warrenmq/src/broker/amqp/connection.ts'
import { declareQueue } from '../../../packages/warrenmq/src/broker/amqp/declarations.ts'
import type { Delivery } from '../../../packages/warrenmq/src/broker/amqp/delivery.ts'
import { encodePublish } from '../../../packages/warrenmq/src/broker/amqp/encode-publish.ts'
import { parseAmqpUrl } from '../../../packages/warrenmq/src/broker/amqp/parse-amqp-url.ts'
import { brokerCapabilities } from '../../../packages/warrenmq/src/message/broker-capabilities.ts'
import { isAtLeast, parseBrokerVersion } from '../../../packages/warrenmq/src/message/broker-version.ts'
import {
  type AttemptsRule,
  countAttempts,
  deathsSeen,
} from '../../../packages/warrenmq/src/message/count-attempts.ts'
import { originalAddress, readDeaths } from '../../../packages/warrenmq/src/message/read-deaths.ts'
import { stripBrokerHeaders } from '../../../packages/warrenmq/src/message/strip-broker-headers.ts'
import { type PlainTable, toFieldTable } from '../../../packages/warrenmq/src/wire/plain-fields.ts'
import {
  editProperties,
  encodeProperties,
  noProperties,
  type RawProperties,
  readProperty,
} from '../../../packages/warrenmq/src/wire/properties.ts'
import { eventually } from '../../support/eventually.ts'
import { useBroker } from '../../support/use-broker.ts'

const broker = await useBroker()
const version = parseBrokerVersion(broker.version)
const capabilities = brokerCapabilities(version)
let loops = 0

/** A work queue whose rejections come back through a wait queue at once, and the deliveries of its consumer. */
async function setup(type: 'classic' | 'quorum') {
  const connection = await openConnection(parseAmqpUrl(broker.url)[0]!, { name: 'attempts test' })
  onTestFinished(() => connection.close())
  const channel = await connection.openChannel()
  const work = `work-${++loops}`
  await declareLoop(channel, work, type)
  const deliveries: Delivery[] = []
  await channel.consume(work, (delivery) => deliveries.push(delivery))
  const rule: AttemptsRule = { kind: 'rejections', queue: work, baseHeader: 'x-retry-count' }
  return {
    work,
    publish: (properties: RawProperties) =>
      channel.publish(
        encodePublish({ exchange: '', routingKey: work, mandatory: true }),
        properties,
        Buffer.from('m'),
      ),
    next: () => eventually(() => deliveries.shift() ?? false, { what: 'a delivery' }),
    attemptsOf: ({ properties }: Delivery) =>
      countAttempts({ headers: readProperty(properties, 'headers'), rule, version }),
  }
}

async function declareLoop(channel: AmqpChannel, work: string, type: 'classic' | 'quorum') {
  const declare = (queue: string, deadLetterKey: string, more: PlainTable = {}) => {
    const common = {
      'x-queue-type': type,
      'x-dead-letter-exchange': '',
      'x-dead-letter-routing-key': deadLetterKey,
    }
    return declareQueue(channel, { queue, arguments: toFieldTable({ ...common, ...more }) })
  }
  await declare(work, `${work}.wait`)
  await declare(`${work}.wait`, work, { 'x-message-ttl': 1 })
}

async function failTimes(loop: Awaited<ReturnType<typeof setup>>, times: number): Promise<Delivery> {
  for (let failure = 0; failure < times; failure++) (await loop.next()).nack({ requeue: false })
  return loop.next()
}

const retryCount = (attempts: number) => toFieldTable({ 'x-retry-count': attempts })

describe.each(['classic', 'quorum'] as const)('a reject loop of %s queues', (type) => {
  it('counts each rejection once', async () => {
    const loop = await setup(type)
    loop.publish(noProperties)

    const counts: number[] = []
    for (let attempt = 0; attempt < 4; attempt++) {
      const delivery = await loop.next()
      counts.push(loop.attemptsOf(delivery))
      delivery.nack({ requeue: false })
    }

    expect(counts).toEqual([0, 1, 2, 3])
  })

  it('counts on from the base after a re-drive with the broker’s headers stripped', async () => {
    const loop = await setup(type)
    loop.publish(noProperties)
    const dead = await failTimes(loop, 3)
    dead.ack()
    const stripped = editProperties(dead.properties, stripBrokerHeaders(dead.properties))

    loop.publish(editProperties(stripped, { headers: { set: retryCount(3) } }))
    const again = await loop.next()
    expect(loop.attemptsOf(again)).toBe(3)
    again.nack({ requeue: false })

    expect(loop.attemptsOf(await loop.next())).toBe(4)
  })

  it('counts each rejection once when a message comes back with the death history it was parked with', async () => {
    const loop = await setup(type)
    loop.publish(noProperties)
    const dead = await failTimes(loop, 3)
    dead.ack()
    const history = readDeaths(readProperty(dead.properties, 'headers'))
    const seen = deathsSeen({ history, queue: loop.work })

    loop.publish(editProperties(dead.properties, { headers: { set: [...retryCount(3), seen] } }))
    const again = await loop.next()
    expect(loop.attemptsOf(again)).toBe(3)
    again.nack({ requeue: false })

    expect(loop.attemptsOf(await loop.next())).toBe(4)
  })

  it('believes a hand-made x-death exactly where the broker does', async () => {
    const loop = await setup(type)
    const death = {
      queue: loop.work,
      reason: 'rejected',
      count: 7n,
      exchange: '',
      'routing-keys': [loop.work],
    }
    const headers = toFieldTable({ 'x-death': [{ ...death, time: new Date(1_600_000_000_000) }] })

    loop.publish(encodeProperties({ headers }))
    const first = await loop.next()
    expect(loop.attemptsOf(first)).toBe(capabilities.trustsClientDeaths ? 7 : 0)
    first.nack({ requeue: false })

    expect(loop.attemptsOf(await loop.next())).toBe(capabilities.trustsClientDeaths ? 8 : 1)
  })

  it('remembers where the message was first published', async () => {
    const loop = await setup(type)
    loop.publish(noProperties)

    const { properties } = await failTimes(loop, 2)

    const history = readDeaths(readProperty(properties, 'headers'))
    expect(originalAddress(history)).toEqual({ exchange: '', routingKey: loop.work })
    expect(history.first).toMatchObject({ queue: loop.work, reason: 'rejected' })
    expect(history.last).toMatchObject({ queue: `${loop.work}.wait`, reason: 'expired' })
    expect(history.isCoherent).toBe(isAtLeast(version, '3.13'))
  })

  it('keeps or drops a CC as this version of RabbitMQ does', async () => {
    const loop = await setup(type)
    loop.publish(encodeProperties({ headers: toFieldTable({ CC: ['nobody'] }) }))

    const { properties } = await failTimes(loop, 1)

    const edit = stripBrokerHeaders(properties)
    const archived = edit.headers?.set?.find(({ name }) => name === 'warren-stripped')?.value
    const names = archived?.type === 'F' ? archived.value.map(({ name }) => name) : []
    expect(names.includes('CC')).toBe(isAtLeast(version, '4.0'))
  })
})
