import { describe, expect, test } from 'vitest'
import { startEmbeddedBroker } from '../../packages/warrenmq/src/embedded/start-embedded-broker.ts'
import type { Method } from '../../packages/warrenmq/src/wire/method-specs.ts'
import { encodeMethod } from '../../packages/warrenmq/src/wire/methods.ts'
import { buildFrame } from '../support/build-frame.ts'
import { eventually } from '../support/eventually.ts'
import { sharedBroker } from '../support/shared-broker.ts'
import { createVhost } from '../support/use-broker.ts'
import { describeMethod } from './describe-received.ts'
import { profileOf } from './profile-of.ts'
import { connectRaw } from './raw-client.ts'

const profile = profileOf(sharedBroker().version)

function frame(type: number, channel: number, payload: Buffer): Buffer {
  return buildFrame({ type, channel, payload })
}

function method(channel: number, sent: Method): Buffer {
  return frame(1, channel, encodeMethod(sent))
}

function header(channel: number, { classId = 60, bodyBytes = 0, properties = Buffer.alloc(2) } = {}): Buffer {
  const fields = Buffer.alloc(12)
  fields.writeUInt16BE(classId, 0)
  fields.writeUInt32BE(bodyBytes, 8)
  return frame(2, channel, Buffer.concat([fields, properties]))
}

const publish = method(1, {
  name: 'basic.publish',
  exchange: '',
  routingKey: 'nowhere',
  mandatory: false,
  immediate: false,
})
const startOk: Method = {
  name: 'connection.start-ok',
  clientProperties: [],
  mechanism: 'PLAIN',
  locale: 'en_US',
  response: Buffer.from('\0guest\0guest'),
}

/** What breaks the protocol on a connection with one open channel. */
const illegal: Readonly<Record<string, readonly Buffer[]>> = {
  'a header frame that is too short': [publish, frame(2, 1, Buffer.alloc(4))],
  'a header of another class': [publish, header(1, { classId: 10 })],
  'a header without a publish': [header(1)],
  'a body without a publish': [frame(3, 1, Buffer.from('body'))],
  'a body in place of a header': [publish, frame(3, 1, Buffer.from('body'))],
  'a second header': [publish, header(1, { bodyBytes: 3 }), header(1, { bodyBytes: 3 })],
  'a method in place of a header': [publish, method(1, { name: 'tx.select' })],
  'a method in place of a body': [publish, header(1, { bodyBytes: 3 }), method(1, { name: 'tx.select' })],
  'a header on channel 0': [header(0)],
  'a body on channel 0': [frame(3, 0, Buffer.from('body'))],
  'a header on a channel that is not open': [header(7)],
  'a second start-ok': [method(0, startOk)],
  'a second tune-ok': [
    method(0, { name: 'connection.tune-ok', channelMax: 2047, frameMax: 131_072, heartbeat: 0 }),
  ],
  'a second open': [method(0, { name: 'connection.open', vhost: '/' })],
  'a close-ok that answers nothing': [method(0, { name: 'connection.close-ok' })],
  'a method of a channel on channel 0': [method(0, { name: 'tx.select' })],
  'a method of the connection on a channel': [method(1, { name: 'connection.close-ok' })],
  'a method that only a broker sends': [method(1, { name: 'tx.select-ok' })],
}

/** Everything up to the end that the broker has to say to it. */
async function say(url: string, frames: readonly Buffer[]): Promise<readonly string[]> {
  const heard: string[] = []
  const client = await connectRaw(url, ({ channel, method: told }) => {
    heard.push(`${channel} ${describeMethod(told)}`)
  })
  try {
    const opened = client.expect(1, ['channel.open-ok'])
    client.send(1, { name: 'channel.open' })
    await opened
    heard.length = 0
    client.write(Buffer.concat(frames))
    await eventually(() => expect(client.isOpen).toBe(false), { timeoutMs: 6000 })
    return heard
  } finally {
    await client.close()
  }
}

describe.skipIf(!profile)('a client that breaks the protocol is told what RabbitMQ tells it', () => {
  test.each(Object.keys(illegal))('%s', async (name) => {
    const vhost = await createVhost()
    const embedded = await startEmbeddedBroker({ profile: profile! })
    try {
      const onEmbedded = await say(embedded.url, illegal[name]!)
      const onRabbit = await say(vhost.url, illegal[name]!)

      expect(onEmbedded).toEqual(onRabbit)
    } finally {
      await embedded.stop()
      await vhost.drop()
    }
  })
})
