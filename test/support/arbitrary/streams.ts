import fc from 'fast-check'
import {
  createFrameParser,
  type FrameLimits,
  frameTypes,
} from '../../../packages/warrenmq/src/wire/frame-parser.ts'
import {
  type Body,
  createFrameWriter,
  type FrameWriter,
  type FrameWriterOptions,
} from '../../../packages/warrenmq/src/wire/frame-writer.ts'
import type { Method } from '../../../packages/warrenmq/src/wire/method-specs.ts'
import { encodeMethod } from '../../../packages/warrenmq/src/wire/methods.ts'
import {
  encodeProperties,
  noProperties,
  type RawProperties,
} from '../../../packages/warrenmq/src/wire/properties.ts'
import { anyMethod, anyMethodNamed } from './methods.ts'
import { anyProperties } from './properties.ts'

/** What a peer can be told to send. */
export type Sending =
  | { readonly kind: 'method'; readonly channel: number; readonly method: Method }
  | {
      readonly kind: 'content'
      readonly channel: number
      readonly method: Method
      readonly properties: RawProperties
      readonly body: Body
    }
  | {
      readonly kind: 'ack'
      readonly channel: number
      readonly deliveryTag: number
      readonly multiple: boolean
    }
  | { readonly kind: 'heartbeat' }

/** What a peer gets to see, with the pieces of a body joined; bytes as hex, which is quick to compare. */
export type Received =
  | { readonly kind: 'method' | 'header' | 'body'; readonly channel: number; readonly hex: string }
  | { readonly kind: 'heartbeat' }

const anyChannel = fc.integer({ min: 0, max: 0xffff })

/** A body filled with its own count, so that a byte in the wrong place is seen. */
const anyPiece = (maxBytes: number) => {
  const counted = Buffer.from(Array.from({ length: maxBytes }, (_, index) => index % 251))
  return fc.nat({ max: maxBytes }).map((size) => counted.subarray(0, size))
}

export function anySending(maxBodyBytes: number): fc.Arbitrary<Sending> {
  return fc.oneof(
    fc.record({ kind: fc.constant('method' as const), channel: anyChannel, method: anyMethod }),
    fc.record({
      kind: fc.constant('content' as const),
      channel: anyChannel,
      method: anyMethodNamed('basic.publish'),
      properties: anyProperties.map(encodeProperties),
      body: fc.oneof(anyPiece(maxBodyBytes), fc.array(anyPiece(maxBodyBytes), { maxLength: 3 })),
    }),
    fc.record({
      kind: fc.constant('ack' as const),
      channel: anyChannel,
      deliveryTag: fc.maxSafeNat(),
      multiple: fc.boolean(),
    }),
    fc.constant({ kind: 'heartbeat' } as const),
  )
}

export function send(writer: FrameWriter, sending: Sending): void {
  if (sending.kind === 'method') writer.method(sending.channel, sending.method)
  else if (sending.kind === 'ack') writer.ack(sending.channel, sending.deliveryTag, sending.multiple)
  else if (sending.kind === 'heartbeat') writer.heartbeat()
  else writer.content(sending.channel, encodeMethod(sending.method), sending.properties, sending.body)
}

/** The bytes of all these, as a peer with this frame_max sends them. */
export function streamOf(sendings: readonly Sending[], options: FrameWriterOptions): Buffer {
  const writer = createFrameWriter(options)
  for (const sending of sendings) send(writer, sending)
  return takeBytes(writer)
}

export const publishMethod: Method<'basic.publish'> = {
  name: 'basic.publish',
  exchange: '',
  routingKey: 'orders',
  mandatory: true,
  immediate: false,
}

/** A message of which only the body matters. */
export function contentOf(body: Body): Extract<Sending, { kind: 'content' }> {
  return { kind: 'content', channel: 1, method: publishMethod, properties: noProperties, body }
}

/** What the writer would send now, in one piece of its own memory. */
export function takeBytes(writer: FrameWriter): Buffer {
  const { buffers, release } = writer.take()
  const bytes = Buffer.concat(buffers)
  release()
  return bytes
}

/** What must arrive, worked out from the protocol and not by the code under test. */
export function expectedOf(sending: Sending): readonly Received[] {
  if (sending.kind === 'heartbeat') return [sending]
  if (sending.kind === 'content') return expectedContent(sending)
  const { channel } = sending
  if (sending.kind === 'method') return [{ kind: 'method', channel, hex: hexOf(sending.method) }]
  const { deliveryTag, multiple } = sending
  return [{ kind: 'method', channel, hex: hexOf({ name: 'basic.ack', deliveryTag, multiple }) }]
}

function expectedContent(sending: Extract<Sending, { kind: 'content' }>): readonly Received[] {
  const { channel, method, properties } = sending
  const body = Buffer.isBuffer(sending.body) ? sending.body : Buffer.concat(sending.body)
  const start = Buffer.alloc(12)
  start.writeUInt16BE(60, 0)
  start.writeBigUInt64BE(BigInt(body.length), 4)
  const header = Buffer.concat([start, properties])
  return [
    { kind: 'method', channel, hex: hexOf(method) },
    { kind: 'header', channel, hex: header.toString('hex') },
    ...(body.length > 0 ? [{ kind: 'body' as const, channel, hex: body.toString('hex') }] : []),
  ]
}

function hexOf(method: Method): string {
  return encodeMethod(method).toString('hex')
}

export interface Parsing {
  readonly received: readonly Received[]
  readonly error: unknown
  /** The most that was held between two chunks. */
  readonly mostHeldBytes: number
  /** How often the parser called its sink. */
  readonly calls: number
}

/** Feeds the chunks to a parser until it fails or they end, and tells all that was seen. */
export function parse(chunks: readonly Buffer[], limits: FrameLimits): Parsing {
  const received: Received[] = []
  let calls = 0
  let mostHeldBytes = 0
  const keep = (kind: 'method' | 'header') => (channel: number, bytes: Buffer) => {
    calls += 1
    received.push({ kind, channel, hex: bytes.toString('hex') })
  }
  const parser = createFrameParser(
    {
      method: keep('method'),
      header: keep('header'),
      body: (channel, piece) => {
        calls += 1
        joinBody(received, channel, piece)
      },
      heartbeat: () => {
        calls += 1
        received.push({ kind: 'heartbeat' })
      },
    },
    limits,
  )
  let error: unknown
  try {
    for (const chunk of chunks) {
      parser.push(chunk)
      mostHeldBytes = Math.max(mostHeldBytes, parser.heldBytes())
    }
  } catch (thrown) {
    error = thrown
  }
  return { received, error, mostHeldBytes, calls }
}

function joinBody(received: Received[], channel: number, piece: Buffer): void {
  const last = received.at(-1)
  if (last?.kind === 'body' && last.channel === channel) {
    received[received.length - 1] = { ...last, hex: last.hex + piece.toString('hex') }
  } else received.push({ kind: 'body', channel, hex: piece.toString('hex') })
}

export interface Frame {
  readonly type: number
  readonly channel: number
  readonly payload: Buffer
}

/** Cuts a whole and valid stream into frames, by the book and without a parser. */
export function framesOf(stream: Buffer): readonly Frame[] {
  const frames: Frame[] = []
  for (let at = 0; at < stream.length; ) {
    const end = at + 7 + stream.readUInt32BE(at + 3)
    if (stream[end] !== 0xce) throw new Error(`The frame at ${at} does not end at ${end}.`)
    frames.push({
      type: stream[at]!,
      channel: stream.readUInt16BE(at + 1),
      payload: stream.subarray(at + 7, end),
    })
    at = end + 1
  }
  return frames
}

export const bodyFramesOf = (stream: Buffer): readonly Frame[] =>
  framesOf(stream).filter(({ type }) => type === frameTypes.body)
