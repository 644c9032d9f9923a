import { describe, expect, it, onTestFinished } from 'vitest'
import { Session, type SessionOptions } from '../../../packages/warrenmq/src/broker/amqp/session.ts'
import type { SessionEvents } from '../../../packages/warrenmq/src/broker/amqp/session-events.ts'
import { Publisher } from '../../../packages/warrenmq/src/publisher/publisher.ts'
import type { Method } from '../../../packages/warrenmq/src/wire/method-specs.ts'
import { encodeMethod } from '../../../packages/warrenmq/src/wire/methods.ts'
import { encodeProperties } from '../../../packages/warrenmq/src/wire/properties.ts'
import { eventually } from '../../support/eventually.ts'
import { frame, headerFrame, headersOnly, methodFrame, nestedTable } from './hostile-bytes.ts'
import { deliver, type Peer, type Script, start, startScriptedServer } from './scripted-server.ts'

const quick = { connectTimeoutMs: 2_000, backoff: { initialMs: 5, maxMs: 50 } }

const returned: Method<'basic.return'> = {
  name: 'basic.return',
  replyCode: 312,
  replyText: 'NO_ROUTE',
  exchange: '',
  routingKey: 'orders',
}
const message = (body: Buffer): Buffer[] => [
  methodFrame(deliver),
  headerFrame(body.length),
  frame('body', body),
]
/** A method whose bytes end before its fields do, or whose string claims more than there is. */
const truncated = (method: Method): Buffer => frame('method', encodeMethod(method).subarray(0, -1))
const firstBytes = (bytes: Buffer, count: number): Buffer => bytes.subarray(0, count)

/** Misbehaves once, when it has a publish and a question to answer; from the second connection on it is good. */
async function setup(bytes: readonly Buffer[]) {
  const { url, peers } = await startScriptedServer((peer, channel, method) => {
    const isFirst = peer === peers[0]
    if (method.name === 'basic.get') {
      if (isFirst) peer.socket.write(Buffer.concat(bytes))
      else peer.send(channel, { name: 'basic.get-empty' })
    }
    if (method.name === 'basic.publish' && !isFirst)
      peer.send(channel, { name: 'basic.ack', deliveryTag: 1, multiple: false })
    return false
  })
  const session = await Session.open(url, quick)
  onTestFinished(() => session.close())
  const lost: SessionEvents['disconnected'][] = []
  session.events.on('disconnected', (event) => lost.push(event))
  const channel = await session.openChannel()
  return { session, channel, lost, peers }
}

const endings: [string, string, readonly Buffer[]][] = [
  ['a frame of an unknown type', 'WIRE_BAD_FRAME', [frame(4, Buffer.alloc(8))]],
  [
    'a method frame that ends with the wrong octet',
    'WIRE_BAD_FRAME',
    [methodFrame({ name: 'basic.get-empty' }, { end: 0xcd })],
  ],
  [
    'a body frame that ends with the wrong octet',
    'WIRE_BAD_FRAME',
    [methodFrame(deliver), headerFrame(4), frame('body', Buffer.alloc(4), { end: 0 })],
  ],
  ['a heartbeat with a payload', 'WIRE_TOO_LARGE', [frame('heartbeat', Buffer.alloc(1), { channel: 0 })]],
  [
    'a method frame of four gigabytes',
    'WIRE_TOO_LARGE',
    [firstBytes(frame('method', Buffer.alloc(0), { length: 0xffffffff }), 7)],
  ],
  [
    'a body frame beyond frame_max',
    'WIRE_TOO_LARGE',
    [methodFrame(deliver), headerFrame(200_000), frame('body', Buffer.alloc(131_073))],
  ],
  [
    'a body beyond what its header announced',
    'WIRE_UNEXPECTED',
    [...message(Buffer.alloc(3)), frame('body', Buffer.alloc(1))],
  ],
  ['a header without a method', 'WIRE_UNEXPECTED', [headerFrame(4)]],
  ['a body without a header', 'WIRE_UNEXPECTED', [methodFrame(deliver), frame('body', Buffer.alloc(4))]],
  ['two headers for one method', 'WIRE_UNEXPECTED', [methodFrame(deliver), headerFrame(4), headerFrame(4)]],
  ['a message within a message', 'WIRE_UNEXPECTED', [methodFrame(deliver), methodFrame(returned)]],
  [
    'a header frame without its fixed part',
    'WIRE_TRUNCATED',
    [methodFrame(deliver), frame('header', Buffer.alloc(3))],
  ],
  [
    'a delivery that is used twice',
    'WIRE_BAD_VALUE',
    [...message(Buffer.alloc(1)), ...message(Buffer.alloc(1))],
  ],
  ['a delivery that ends in the middle of a field', 'WIRE_TRUNCATED', [truncated(deliver)]],
  [
    'a confirm that ends in the middle of a field',
    'WIRE_TRUNCATED',
    [truncated({ name: 'basic.ack', deliveryTag: 1, multiple: false })],
  ],
  ['a method frame that is empty', 'WIRE_TRUNCATED', [frame('method', Buffer.alloc(0))]],
  ['a method that does not exist', 'WIRE_UNKNOWN_METHOD', [frame('method', Buffer.from([0, 60, 0, 250]))]],
  [
    'bytes behind the last field',
    'WIRE_TRAILING_BYTES',
    [frame('method', Buffer.from([0, 60, 0, 72, 0, 0]))],
  ],
  ['an answer that nobody asked for', 'WIRE_UNEXPECTED', [methodFrame({ name: 'basic.qos-ok' })]],
  [
    'a question that only a client asks',
    'WIRE_UNEXPECTED',
    [methodFrame({ name: 'confirm.select', noWait: false })],
  ],
  ['a word of the connection on a channel', 'WIRE_UNEXPECTED', [methodFrame({ name: 'connection.open-ok' })]],
  ['the end of a channel that stays', 'WIRE_UNEXPECTED', [methodFrame({ name: 'channel.close-ok' })]],
  [
    'the end of a connection that stays',
    'WIRE_UNEXPECTED',
    [methodFrame({ name: 'connection.close-ok' }, { channel: 0 })],
  ],
  [
    'the beginning of a connection that began long ago',
    'WIRE_UNEXPECTED',
    [methodFrame(start, { channel: 0 })],
  ],
  [
    'the answer to a secret that nobody changed',
    'WIRE_UNEXPECTED',
    [methodFrame({ name: 'connection.update-secret-ok' }, { channel: 0 })],
  ],
  [
    'a returned message whose properties end before they should',
    'WIRE_TRUNCATED',
    [methodFrame(returned), headerFrame(0, headersOnly(Buffer.alloc(4), 0xfffffff0))],
  ],
]

const tooLarge: [string, string, Buffer[]][] = [
  [
    'a header frame of two gigabytes and a byte, a negative number to some,',
    'announces 2147483649 bytes; the limit is 16777216 (at byte \\d+). Raise maxHeaderBytes,',
    [methodFrame(deliver), firstBytes(frame('header', Buffer.alloc(0), { length: 0x80000001 }), 7)],
  ],
  [
    'a message of more bytes than any that is read',
    'A message of 9007199254740991 bytes is announced; the limit is 536870912 (at byte 4). Raise maxBodyBytes,',
    [methodFrame(deliver), headerFrame(Number.MAX_SAFE_INTEGER)],
  ],
]

describe('a broker that sends', () => {
  it.each(tooLarge)(
    '%s is told by the limit to raise, and the session comes back',
    async (_, told, bytes) => {
      const { channel, session, lost } = await setup(bytes)

      const getting = channel.get('orders')

      const error = {
        code: 'CONNECTION_MESSAGE_TOO_LARGE',
        isFinal: false,
        cause: { code: 'WIRE_TOO_LARGE' },
      }
      await expect(getting).rejects.toMatchObject(error)
      expect(lost).toMatchObject([{ error }])
      expect(lost[0]!.error.message).toMatch(new RegExp(told.replaceAll(/[()]/g, '\\$&')))
      await session.whenConnected()
    },
  )

  it.each(endings)('%s is left with one clear error, and the session comes back', async (_, code, bytes) => {
    const { session, channel, lost, peers } = await setup(bytes)
    const publisher = new Publisher(session)
    await publisher.room()

    const [sent, got] = await Promise.allSettled([
      publisher.publish({ key: 'orders', body: 'a' }),
      channel.get('orders'),
    ])
    const next = await publisher.publish({ key: 'orders', body: 'b' })

    const error = { code: 'CONNECTION_NOT_AMQP', cause: { code } }
    expect(got).toMatchObject({ status: 'rejected', reason: error })
    expect(sent).toMatchObject({ value: { kind: 'unknown', wasSent: true, cause: error } })
    expect(next.kind).toBe('confirmed')
    expect(lost).toMatchObject([{ error }])
    expect(lost[0]!.error.message).toMatch(
      /^amqp:\/\/127\.0\.0\.1:\d+\/ sent bytes that are not AMQP 0-9-1: .+\.$/,
    )
    expect(peers).toHaveLength(2)
  })

  it('a returned message with headers nested a thousand deep still gives it back', async () => {
    const deep = headersOnly(nestedTable(1_000))
    const { url } = await startScriptedServer((peer, channel, method) => {
      if (method.name !== 'basic.publish') return false
      const confirm = methodFrame({ name: 'basic.ack', deliveryTag: 1, multiple: false }, { channel })
      peer.socket.write(
        Buffer.concat([
          methodFrame(returned),
          headerFrame(1, deep),
          frame('body', Buffer.from('a')),
          confirm,
        ]),
      )
      return true
    })
    const session = await Session.open(url, quick)
    onTestFinished(() => session.close())
    const publisher = new Publisher(session)
    const results: unknown[] = []

    publisher.publishEncoded(
      { exchange: '', key: 'orders', properties: deep, body: Buffer.from('a') },
      (result) => results.push(result),
    )
    await publisher.idle()

    expect(results).toMatchObject([{ kind: 'returned', replyText: 'NO_ROUTE' }])
  })

  it('a long body in crumbs keeps them as a few pieces', async () => {
    const crumbs = Buffer.concat(
      Array.from({ length: 20_000 }, (_, index) => frame('body', Buffer.from([index]))),
    )
    const getOk = { deliveryTag: 1, redelivered: false, exchange: '', routingKey: 'orders', messageCount: 0 }
    const { channel } = await setup([
      methodFrame({ name: 'basic.get-ok', ...getOk }),
      headerFrame(20_000),
      crumbs,
    ])

    const got = await channel.get('orders')

    const pieces = got!.body as readonly Buffer[]
    expect(
      Buffer.concat(pieces).equals(Buffer.from(Array.from({ length: 20_000 }, (_, index) => index))),
    ).toBe(true)
    expect(pieces.length).toBeLessThan(400)
  })

  it('frames on channels that are not open, for ever, is listened to for nothing', async () => {
    const flood = Buffer.concat(
      Array.from({ length: 1_000 }, () => frame('body', Buffer.alloc(1_000), { channel: 99 })),
    )
    const { channel, session } = await setup([
      ...Array(20).fill(flood),
      methodFrame({ name: 'basic.get-empty' }),
    ])

    expect(await channel.get('orders')).toBeUndefined()
    expect(session.state).toBe('connected')
  })
})

const tune = (limits: { channelMax: number; frameMax: number; heartbeat: number }): Script => {
  return (peer, channel, { name }) => {
    if (name === 'connection.start-ok') peer.send(channel, { name: 'connection.tune', ...limits })
    return name === 'connection.start-ok'
  }
}
const insteadOf = (name: Method['name'], act: (peer: Peer) => void): Script => {
  return (peer, _, method) => {
    if (method.name === name) act(peer)
    return method.name === name
  }
}
const sending = (...methods: Method[]): ((peer: Peer) => void) => {
  return (peer) => peer.send(0, ...methods)
}
const startWith = (serverProperties: Buffer, length = serverProperties.length): Buffer => {
  const size = Buffer.alloc(4)
  size.writeUInt32BE(length)
  const [head, tail] = [Buffer.from([0, 10, 0, 10, 0, 9]), Buffer.from('\0\0\0\x05PLAIN\0\0\0\x05en_US')]
  return frame('method', Buffer.concat([head, size, serverProperties, tail]), { channel: 0 })
}
const never: Script = () => false

describe('a handshake', () => {
  const refusals: [string, RegExp, Script, Method | Buffer][] = [
    [
      'that is HTTP',
      /not AMQP 0-9-1.*Unknown frame type 72/,
      never,
      Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n'),
    ],
    ['that wants AMQP 1.0', /not AMQP 0-9-1.*Unknown frame type 65/, never, Buffer.from('AMQP\0\x01\0\0')],
    [
      'with properties nested a thousand deep',
      /nested more than 64 deep/,
      never,
      startWith(nestedTable(1_000)),
    ],
    [
      'with properties longer than its frame',
      /ends in the middle of a field/,
      never,
      startWith(Buffer.alloc(4), 0xffffffff),
    ],
    [
      'of a megabyte and more',
      /announces 1048577 bytes/,
      never,
      firstBytes(frame('method', Buffer.alloc(0), { channel: 0, length: 1_048_577 }), 7),
    ],
    [
      'that begins with a body',
      /announces 4 bytes; the limit is 0/,
      never,
      frame('body', Buffer.alloc(4), { channel: 0 }),
    ],
    [
      'that begins at its end',
      /sent connection.open-ok instead of connection.start/,
      never,
      { name: 'connection.open-ok' },
    ],
    [
      'that ends before it begins',
      /connection.close-ok arrived, but was not requested/,
      never,
      { name: 'connection.close-ok' },
    ],
    [
      'that asks for more proof',
      /sent connection.secure instead of connection.tune/,
      insteadOf('connection.start-ok', sending({ name: 'connection.secure', challenge: Buffer.from('?') })),
      start,
    ],
    [
      'with frames of five bytes',
      /offers frames of 5 bytes; the minimum in AMQP is 4096/,
      tune({ channelMax: 0, frameMax: 5, heartbeat: 0 }),
      start,
    ],
    [
      'that talks of itself for ever',
      /sent connection.start instead of connection.tune/,
      insteadOf('connection.start-ok', sending(...Array<Method>(1_000).fill(start))),
      start,
    ],
  ]

  it.each(refusals)('%s ends in one clear error', async (_, sentence, script, greeting) => {
    const { url, peers } = await startScriptedServer(script, { greeting })

    const opening = Session.open(url, { ...quick, waitForBrokerMs: 30_000 })

    await expect(opening).rejects.toMatchObject({
      code: 'CONNECTION_NOT_AMQP',
      isFinal: true,
      message: expect.stringMatching(sentence),
    })
    await eventually(() => expect(peers.map(({ socket }) => socket.closed)).toEqual([true]))
  })

  it('without limits takes ours', async () => {
    const { url, peers } = await startScriptedServer(tune({ channelMax: 0, frameMax: 0, heartbeat: 0 }))

    const session = await Session.open(url, quick)
    onTestFinished(() => session.close())

    const expected = { channelMax: 2047, frameMax: 131_072 }
    expect(session.connection!.agreement).toMatchObject({ ...expected, heartbeatSeconds: 30 })
    const tuneOk = peers[0]!.received.find(({ method }) => method.name === 'connection.tune-ok')
    expect(tuneOk!.method).toMatchObject({ ...expected, heartbeat: 30 })
  })

  it('where both sides know no limit has none, and heartbeats only where both want them', async () => {
    const { url, peers } = await startScriptedServer(tune({ channelMax: 0, frameMax: 0, heartbeat: 60 }))

    const session = await Session.open(url, { ...quick, channelMax: 0, frameMax: 0, heartbeatSeconds: 0 })
    onTestFinished(() => session.close())
    const channel = await session.openChannel()
    const method = { exchange: '', routingKey: 'orders', mandatory: false, immediate: false }
    channel.publish(
      encodeMethod({ name: 'basic.publish', ...method }),
      encodeProperties({}),
      Buffer.alloc(100_000, 'a'),
    )

    expect(session.connection!.agreement).toMatchObject({ channelMax: 0, frameMax: 0, heartbeatSeconds: 0 })
    await eventually(() => expect(Buffer.concat(peers[0]!.bodies)).toHaveLength(100_000))
  })

  it('that comes a byte at a time is still one', async () => {
    const { url, peers } = await startScriptedServer(never, { greeting: Buffer.alloc(0) })
    const opening = Session.open(url, quick)
    await eventually(() => expect(peers).toHaveLength(1))

    for (const byte of methodFrame(start, { channel: 0 })) {
      await new Promise<void>((resolve) => peers[0]!.socket.write(Buffer.from([byte]), () => resolve()))
    }

    expect((await opening).state).toBe('connected')
    await (await opening).close()
  })

  it('that never comes ends in time', async () => {
    const { url } = await startScriptedServer(never, { greeting: Buffer.alloc(0) })

    await expect(Session.open(url, { connectTimeoutMs: 50 })).rejects.toMatchObject({
      code: 'CONNECTION_TIMEOUT',
    })
  })
})

const uselessOptions: [SessionOptions, string][] = [
  [{ frameMax: 1_000 }, 'frameMax is 1000; the minimum in AMQP is 4096.'],
  [{ heartbeatSeconds: 0.5 }, 'heartbeat of connection.tune-ok is 0.5; it must be a whole number'],
  [{ channelMax: 70_000 }, 'channelMax of connection.tune-ok is 70000; it must be a whole number'],
  [{ connectTimeoutMs: 0 }, 'connectTimeoutMs is 0; it must be a number of milliseconds'],
  [{ replyTimeoutMs: Number.POSITIVE_INFINITY }, 'replyTimeoutMs is Infinity; it must be a number'],
]

it.each(uselessOptions)(
  '%o is refused at once, however long a broker may be waited for',
  async (options, sentence) => {
    const { url, peers } = await startScriptedServer(tune({ channelMax: 0, frameMax: 0, heartbeat: 0 }))

    await expect(Session.open(url, { ...quick, waitForBrokerMs: 30_000, ...options })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: expect.stringContaining(sentence),
    })
    expect(peers.length).toBeLessThanOrEqual(1)
  },
)
