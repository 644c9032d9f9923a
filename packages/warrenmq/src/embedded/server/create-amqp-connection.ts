import type { Socket } from 'node:net'
import { WireError } from '../../errors.ts'
import { createFrameParser, frameTypes } from '../../wire/frame-parser.ts'
import { decodeMethod } from '../../wire/methods.ts'
import { clearTimeout, setTimeout } from '../../world.ts'
import { ProtocolError } from '../model/protocol-error.ts'
import type { AmqpConnection } from './amqp-connection.ts'
import { blockPublisher, endBlock, holdBack } from './block-publisher.ts'
import { onChannelMethod, onConnectionMethod } from './channel-method.ts'
import { closeWith, cut, endChannels, finish, refuse } from './close-with.ts'
import { createConnectionOutput } from './connection-output.ts'
import { type ConnectionHost, type ConnectionRecord, isCapable } from './connection-record.ts'
import { greet, largestChannelMax, largestFrame } from './greet.ts'
import { type ChannelHost, misplaced, type ServerChannel } from './server-channel.ts'
import { unexpectedFrame, unknownFrame } from './unexpected-frame.ts'

export function createAmqpConnection(
  socket: Socket,
  host: ConnectionHost,
  onEnd: (connection: AmqpConnection) => void,
): AmqpConnection {
  const record = createRecord(socket, host)
  const connection: AmqpConnection = {
    name: `${socket.remoteAddress}:${socket.remotePort} -> ${socket.localAddress}:${socket.localPort}`,
    peer: { host: socket.remoteAddress ?? '', port: socket.remotePort ?? 0 },
    local: { host: socket.localAddress ?? '', port: socket.localPort ?? 0 },
    user() {
      return record.user
    },
    vhost() {
      return record.actor?.vhost.name
    },
    clientProperties() {
      return record.clientProperties
    },
    channels: record.channels,
    phase() {
      return record.phase
    },
    connectedAtMs: host.broker.clock.now(),
    frameMax() {
      return record.frameMax
    },
    channelMax() {
      return record.channelMax
    },
    isFlushed() {
      return record.output.isFlushed()
    },
    receivedBytes() {
      return record.receivedBytes
    },
    publishCount() {
      return record.publishCount
    },
    close: (error) => closeWith(record, error),
    shutDown: (error) => {
      closeWith(record, error)
      finish(record)
      socket.destroySoon()
      clearTimeout(record.graceTimer)
      // One that does not read would never have the last word, and nothing would end.
      record.graceTimer = setTimeout(() => socket.destroy(), farewellMs).unref()
    },
    cut: () => cut(record),
    nudge: () => {
      if (record.phase !== 'running') return
      record.output.heartbeat()
      record.output.flush()
    },
    endBlock: () => {
      endBlock(record)
      record.output.planFlush()
    },
  }
  const handshakeTimer = setTimeout(() => {
    if (isGreeting(record)) cut(record)
  }, longestHandshakeMs).unref()
  socket.setNoDelay(true)
  socket.on('data', (chunk) => onData(record, chunk))
  socket.on('drain', () => wakeConsumers(record))
  socket.on('error', () => undefined) // the close that follows says all there is to know
  socket.on('close', () => {
    record.phase = 'closed'
    record.output.drop()
    record.heartbeat?.stop()
    clearTimeout(record.graceTimer)
    clearTimeout(handshakeTimer)
    endChannels(record)
    onEnd(connection)
  })
  return connection
}

/** As long may a client take to read what the broker has to say when it stops. */
const farewellMs = 1000

/** RabbitMQ's `handshake_timeout`: a client that says nothing, or is gone before heartbeats are agreed on, is let go. */
const longestHandshakeMs = 10_000

function isGreeting({ phase }: ConnectionRecord): boolean {
  return phase === 'greeting' || phase === 'starting' || phase === 'tuning' || phase === 'opening'
}

type FrameKind = 'method' | 'header' | 'body'

/** Class, weight and size of the body, before the properties. */
const headerStartBytes = 12

/** Some clients answer each heartbeat with another: that says nothing. */
const heartbeatBytes = 8

function createRecord(socket: Socket, host: ConnectionHost): ConnectionRecord {
  const record: ConnectionRecord = {
    socket,
    host,
    identity: {},
    output: createConnectionOutput(socket, {
      frameMax: largestFrame,
      beforeFlush: () => {
        // The first of them may have come to the point at which the connection is cut.
        for (const channel of record.channels.values()) if (record.phase !== 'closed') channel.flush()
      },
      onWritten: () => record.heartbeat?.sent(),
    }),
    parser: createFrameParser(
      {
        method: (number, payload) => inTurn('method', number, payload),
        header: (number, payload) => inTurn('header', number, payload),
        body: (number, piece) => inTurn('body', number, piece),
        heartbeat: () => {
          record.receivedBytes -= heartbeatBytes
        },
      },
      { bodyBytes: 4096, headerBytes: largestFrame },
    ),
    channels: new Map(),
    phase: 'greeting',
    greeting: Buffer.alloc(0),
    user: undefined,
    actor: undefined,
    clientProperties: [],
    frameMax: largestFrame,
    channelMax: largestChannelMax,
    heartbeat: undefined,
    graceTimer: undefined,
    isBlocked: false,
    unread: [],
    receivedBytes: 0,
    publishCount: 0,
  }
  const channelHost = createChannelHost(record)
  const frames: Readonly<Record<FrameKind, (number: number, bytes: Buffer) => void>> = {
    method: (number, payload) => step(record, number, () => onMethod(record, number, payload)),
    header: (number, payload) =>
      step(record, number, () => {
        if (payload.length < headerStartBytes) closeWith(record, unknownFrame(frameTypes.header, payload))
        else channelOf(record, { number, type: frameTypes.header, payload })?.header(payload)
      }),
    body: (number, piece) =>
      step(record, number, () => {
        channelOf(record, { number, type: frameTypes.body, payload: piece })?.body(piece)
      }),
  }
  function inTurn(kind: FrameKind, number: number, bytes: Buffer): void {
    if (record.isBlocked) holdBack(record, bytes, (kept) => frames[kind](number, kept))
    else frames[kind](number, bytes)
  }
  function onMethod(connection: ConnectionRecord, number: number, payload: Buffer): void {
    const method = decodeMethod(payload)
    try {
      if (number === 0) onConnectionMethod(connection, method)
      else onChannelMethod(connection, number, { method, channelHost })
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error
      const cause = connection.channels.get(number)?.currentPublish() ?? method
      refuse(connection, error, { channel: number, cause })
    }
  }
  return record
}

/** Runs one step of the protocol; a refusal closes the channel or the connection it belongs to. */
function step(record: ConnectionRecord, number: number, take: () => void): void {
  if (record.phase === 'closed') return
  try {
    record.host.broker.inbox.run(take)
  } catch (error) {
    const cause = record.channels.get(number)?.currentPublish()
    if (error instanceof ProtocolError) refuse(record, error, { channel: number, cause })
    else if (error instanceof WireError) closeWith(record, new ProtocolError('SYNTAX_ERROR', error.message))
    else reportMistake(record, error)
  }
}

function reportMistake(record: ConnectionRecord, error: unknown): void {
  record.host.report(error)
  closeWith(record, new ProtocolError('INTERNAL_ERROR', 'the embedded broker made a mistake'))
}

function onData(record: ConnectionRecord, chunk: Buffer): void {
  record.receivedBytes += chunk.length
  record.heartbeat?.received()
  try {
    const bytes = record.phase === 'greeting' ? greet(record, chunk) : chunk
    if (bytes && bytes.length > 0) record.parser.push(bytes)
  } catch (error) {
    if (error instanceof WireError) closeWith(record, new ProtocolError('FRAME_ERROR', error.message))
    else reportMistake(record, error)
  }
  record.output.planFlush()
}

/** The channel that content belongs to; none while the connection ends. */
function channelOf(
  { phase, channels }: ConnectionRecord,
  { number, type, payload }: { number: number; type: number; payload: Buffer },
): ServerChannel | undefined {
  if (phase === 'closing') return undefined
  if (number === 0 || phase !== 'running') throw unexpectedFrame(type, payload)
  const channel = channels.get(number)
  if (!channel) throw misplaced(undefined)
  return channel
}

function createChannelHost(record: ConnectionRecord): ChannelHost {
  const { output, host } = record
  return {
    actor() {
      return record.actor!
    },
    faults: host.faults,
    supportsCancelNotify() {
      return isCapable(record, 'consumer_cancel_notify')
    },
    isWritable() {
      return output.isWritable()
    },
    sink: (number) => ({
      send: (method) => output.method(number, method),
      sendContent: (payload, properties, body) => output.content(number, payload, properties, body),
    }),
    sendConfirm: (number, deliveryTag, multiple) => output.ack(number, deliveryTag, multiple),
    cut: () => cut(record),
    cutAfterFlush: () => {
      record.phase = 'closed' // so that nothing more is taken in
      queueMicrotask(() => {
        output.flush()
        output.drop()
        record.socket.end(() => cut(record))
      })
    },
    startsPublish: () => {
      record.publishCount += 1
      blockPublisher(record)
    },
    delivers: () => host.onDelivery(),
  }
}

/** The client reads again: its consumers may get more. */
function wakeConsumers({ channels, host, output }: ConnectionRecord): void {
  host.broker.inbox.run(() => {
    for (const { model } of channels.values()) {
      const queues = new Set([...model.consumers.values()].map((active) => active.queue))
      for (const queue of queues) queue.channelReady(model.port)
    }
  })
  output.planFlush()
}
