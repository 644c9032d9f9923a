import { describe, expect, test } from 'vitest'
import { startEmbeddedBroker } from '../../packages/warrenmq/src/embedded/start-embedded-broker.ts'
import { findHeader } from '../../packages/warrenmq/src/wire/edit-table.ts'
import type { FieldContent, FieldTable } from '../../packages/warrenmq/src/wire/field-value.ts'
import type { Method, MethodName } from '../../packages/warrenmq/src/wire/method-specs.ts'
import { toFieldTable } from '../../packages/warrenmq/src/wire/plain-fields.ts'
import {
  decodeProperties,
  editProperties,
  encodeProperties,
} from '../../packages/warrenmq/src/wire/properties.ts'
import { readShortText } from '../../packages/warrenmq/src/wire/short-text.ts'
import { eventually } from '../support/eventually.ts'
import { sharedBroker } from '../support/shared-broker.ts'
import { createVhost } from '../support/use-broker.ts'
import { profileOf } from './profile-of.ts'
import { connectRaw, type Received } from './raw-client.ts'

const profile = profileOf(sharedBroker().version)

/** Deeper than Warren decodes. */
const tooDeep = 70
const nested = (depth: number): FieldContent =>
  depth === 0 ? { type: 'V', value: null } : { type: 'A', value: [nested(depth - 1)] }

const everyType: FieldTable = [
  { name: 'bool', value: { type: 't', value: true } },
  { name: 'int8', value: { type: 'b', value: -1 } },
  { name: 'uint8', value: { type: 'B', value: 255 } },
  { name: 'int16', value: { type: 's', value: -300 } },
  { name: 'uint16', value: { type: 'u', value: 65_535 } },
  { name: 'int32', value: { type: 'I', value: -2_000_000_000 } },
  { name: 'uint32', value: { type: 'i', value: 4_000_000_000 } },
  { name: 'int64', value: { type: 'l', value: -(2n ** 63n) } },
  { name: 'time', value: { type: 'T', value: 1_700_000_000n } },
  { name: 'float', value: { type: 'f', value: 0.5 } },
  { name: 'double', value: { type: 'd', value: 0.1 } },
  { name: 'decimal', value: { type: 'D', value: { scale: 2, unscaled: 1999 } } },
  { name: 'text', value: { type: 'S', value: 'grün' } },
  { name: 'no text', value: { type: 'S', value: Buffer.from([0xff, 0xfe]) } },
  { name: 'bytes', value: { type: 'x', value: Buffer.from([0, 1, 2]) } },
  { name: 'void', value: { type: 'V', value: null } },
]
const headers: FieldTable = [
  ...everyType,
  { name: 'array', value: { type: 'A', value: everyType.map(({ value }) => value) } },
  { name: 'table', value: { type: 'F', value: [{ name: 'in', value: { type: 'F', value: everyType } }] } },
  { name: 'deep', value: nested(tooDeep) },
]

/** No text, as a key may be. */
const key = readShortText(Buffer.from([0xff, 0x2e, 0xc3]), 0, 3)

interface Way {
  readonly type: 'classic' | 'quorum'
  /** Through a headers exchange or a topic exchange. */
  readonly exchange: 'headers' | 'topic'
}

/** Lets one message die and gives all that its reader gets of it but the time. */
async function letDie(url: string, { type, exchange }: Way): Promise<object> {
  const received: Received[] = []
  const client = await connectRaw(url, (item) => received.push(item))
  const ask = async (method: Method, answers: readonly MethodName[]): Promise<Method> => {
    const answer = client.expect(1, answers)
    client.send(1, method)
    return answer
  }
  const declare = (queue: string, args: Record<string, string>) =>
    ask(
      {
        name: 'queue.declare',
        queue,
        passive: false,
        durable: true,
        exclusive: false,
        autoDelete: false,
        noWait: false,
        arguments: toFieldTable(args),
      },
      ['queue.declare-ok'],
    )
  const get = (queue: string) =>
    ask({ name: 'basic.get', queue, noAck: false }, ['basic.get-ok', 'basic.get-empty'])
  try {
    await ask({ name: 'channel.open' }, ['channel.open-ok'])
    await declare('dead', {})
    await declare('work', { 'x-queue-type': type, 'x-dead-letter-exchange': `amq.${exchange}` })
    for (const [source, queue] of [
      ['amq.fanout', 'work'],
      [`amq.${exchange}`, 'dead'],
    ] as const) {
      const args = toFieldTable(source === 'amq.headers' ? { 'x-match': 'all', text: 'grün' } : {})
      const bind = { queue, exchange: source, routingKey: '#', noWait: false, arguments: args }
      await ask({ name: 'queue.bind', ...bind }, ['queue.bind-ok'])
    }
    const publish = { exchange: 'amq.fanout', routingKey: key, mandatory: false, immediate: false } as const
    const properties = encodeProperties({ deliveryMode: 2, headers })
    client.publish(1, { name: 'basic.publish', ...publish }, properties, Buffer.from('body'))
    const fetched = await eventually(async () => {
      const answer = await get('work')
      return answer.name === 'basic.get-ok' ? answer : false
    })
    client.send(1, { name: 'basic.reject', deliveryTag: fetched.deliveryTag, requeue: false })
    await eventually(async () => expect((await get('dead')).name).toBe('basic.get-ok'))
    const letter = received.findLast(({ method }) => method.name === 'basic.get-ok')!
    return describeLetter(letter)
  } finally {
    await client.close()
  }
}

/** The headers are compared as bytes; the record of the death, which holds a time, apart from them. */
function describeLetter({ method, properties, body }: Received): object {
  const { headers: table, ...others } = decodeProperties(properties!)
  const death = findHeader(table!, 'x-death')
  const bare = editProperties(properties!, { headers: { remove: (name) => name === 'x-death' } })
  const [last] = death?.type === 'A' ? death.value : []
  const entries = last?.type === 'F' ? last.value.filter(({ name }) => name !== 'time') : undefined
  const { deliveryTag: _, ...told } = method as Method<'basic.get-ok'>
  return { told, others, entries, headers: bare.toString('hex'), body: body!.toString() }
}

describe.skipIf(!profile)(
  'a dead letter keeps headers of every type and depth, and a key that is no text',
  () => {
    test.each<Way>([
      { type: 'classic', exchange: 'topic' },
      { type: 'quorum', exchange: 'headers' },
    ])('of a $type queue, through a $exchange exchange', async (way) => {
      const vhost = await createVhost()
      const embedded = await startEmbeddedBroker({ profile: profile! })
      try {
        const onEmbedded = await letDie(embedded.url, way)
        const onRabbit = await letDie(vhost.url, way)

        expect(onEmbedded).toEqual(onRabbit)
      } finally {
        await embedded.stop()
        await vhost.drop()
      }
    })
  },
)
