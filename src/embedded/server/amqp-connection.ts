import type { Socket } from 'node:net'
import { WireError } from '../../errors.ts'
import type { FieldTable } from '../../wire/field-value.ts'
import { createFrameParser, type FrameLimits } from '../../wire/frame-parser.ts'
import { createFrameWriter } from '../../wire/frame-writer.ts'
import type { Method } from '../../wire/method-specs.ts'
import { decodeMethod, methodIdOf } from '../../wire/methods.ts'
import type { User } from '../model/access.ts'
import type { Actor } from '../model/actor.ts'
import { type Broker, permissionOf, removeQueue } from '../model/broker.ts'
import { booleanOf, lookUp } from '../model/field-terms.ts'
import { ProtocolError } from '../model/protocol-error.ts'
import type { AnswerSink } from './answer-method.ts'
import { authenticate } from './authenticate.ts'
import type { FaultPlan } from './faults.ts'
import { createHeartbeat, type Heartbeat } from './heartbeat.ts'
import { createServerChannel, type ServerChannel } from './server-channel.ts'
import { serverProperties } from './server-properties.ts'

export interface ConnectionHost {
  readonly broker: Broker
  readonly faults: FaultPlan
  readonly clusterName: string
  onEnd(connection: AmqpConnection): void
  /** An error that is a mistake of the broker itself. */
  report(error: unknown): void
}

/** One client. */
export interface AmqpConnection {
  readonly name: string
  readonly user: User | undefined
  readonly vhost: string | undefined
  readonly clientProperties: FieldTable
  readonly channels: ReadonlyMap<number, ServerChannel>
  readonly state: ConnectionState
  readonly connectedAtMs: number
  readonly frameMax: number
  /** True when nothing waits to be sent. */
  readonly isFlushed: boolean
  /** Counts what has come in, so that one can see whether anything still does. */
  readonly receivedBytes: number
  /** Writes out what has gathered. */
  flush(): void
  /** The broker closes it, e.g. because an operator asked for it. */
  close(error: ProtocolError): void
  /** Ends it without a word. */
  cut(): void
  /**
   * Sends a heartbeat. With it goes the acknowledgement of all that has come in, and a client that holds back
   * its next bytes until then (Nagle's algorithm, the default of some clients) lets them go.
   */
  nudge(): void
  /** Blocks or unblocks the publisher as the faults say. */
  applyBlock(): void
}

export type ConnectionState =
  | 'greeting'
  | 'starting'
  | 'tuning'
  | 'opening'
  | 'running'
  | 'closing'
  | 'closed'

const protocolHeader = Buffer.from([0x41, 0x4d, 0x51, 0x50, 0, 0, 9, 1])
const channelMax = 2047
const largestFrame = 131_072
const heartbeatSeconds = 60
/** As much may wait for a slow reader before its consumers get no more. */
const highWaterBytes = 1024 * 1024
/** A client that does not answer the broker's close has so long. */
const closeGraceMs = 5000
const beforeTuning: FrameLimits = { bodyBytes: 4096, headerBytes: 131_072 }

export function createAmqpConnection(socket: Socket, host: ConnectionHost): AmqpConnection {
  const { broker } = host
  const identity = {}
  const channels = new Map<number, ServerChannel>()
  let state: ConnectionState = 'greeting'
  let greeting = Buffer.alloc(0)
  let writer = createFrameWriter({ frameMax: largestFrame, headerMax: 0 })
  let frameMax = largestFrame
  let user: User | undefined
  let actor: Actor | undefined
  let vhostName: string | undefined
  let clientProperties: FieldTable = []
  let capabilities: FieldTable = []
  let heartbeat: Heartbeat | undefined
  let isFlushPlanned = false
  let hasPublished = false
  let isBlocked = false
  let receivedBytes = 0

  const parser = createFrameParser(
    {
      method: (channel, payload) => guard(() => onMethod(channel, payload)),
      header: (channel, payload) =>
        guard(() => onContent(channel, (target) => target.header(payload)), channel),
      body: (channel, piece) => guard(() => onContent(channel, (target) => target.body(piece)), channel),
      heartbeat: () => undefined,
    },
    beforeTuning,
  )

  /** Runs one step of the protocol; a refusal closes the channel or the connection it belongs to. */
  function guard(step: () => void, channel = 0): void {
    if (state === 'closed') return
    try {
      broker.inbox.run(step)
    } catch (error) {
      if (error instanceof ProtocolError) refuse(error, channel, channels.get(channel)?.currentPublish)
      else if (error instanceof WireError)
        refuse(new ProtocolError('SYNTAX_ERROR', error.message), 0, undefined)
      else {
        host.report(error)
        refuse(new ProtocolError('INTERNAL_ERROR', 'the embedded broker made a mistake'), 0, undefined)
      }
    }
  }

  function onData(chunk: Buffer): void {
    receivedBytes += chunk.length
    heartbeat?.received()
    try {
      if (state === 'greeting') greet(chunk)
      else parser.push(chunk)
    } catch (error) {
      if (!(error instanceof WireError)) throw error
      refuse(new ProtocolError('FRAME_ERROR', error.message), 0, undefined)
    }
    planFlush()
  }

  function greet(chunk: Buffer): void {
    greeting = Buffer.concat([greeting, chunk])
    if (greeting.length < protocolHeader.length) return
    if (!greeting.subarray(0, protocolHeader.length).equals(protocolHeader)) {
      socket.end(protocolHeader)
      state = 'closed'
      return
    }
    state = 'starting'
    send(0, {
      name: 'connection.start',
      versionMajor: 0,
      versionMinor: 9,
      serverProperties: serverProperties(broker.profile, host.clusterName),
      mechanisms: Buffer.from('AMQPLAIN PLAIN'),
      locales: Buffer.from('en_US'),
    })
    const rest = greeting.subarray(protocolHeader.length)
    if (rest.length > 0) parser.push(rest)
  }

  function onMethod(number: number, payload: Buffer): void {
    const method = decodeMethod(payload)
    try {
      if (number === 0) onConnectionMethod(method)
      else onChannelMethod(number, method)
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error
      refuse(error, number, method)
    }
  }

  function onConnectionMethod(method: Method): void {
    if (state === 'closing') {
      if (method.name === 'connection.close') send(0, { name: 'connection.close-ok' })
      if (method.name === 'connection.close' || method.name === 'connection.close-ok') finish()
      return
    }
    switch (method.name) {
      case 'connection.start-ok':
        onStartOk(method)
        break
      case 'connection.tune-ok':
        onTuneOk(method)
        break
      case 'connection.open':
        onOpen(method)
        break
      case 'connection.update-secret':
        send(0, { name: 'connection.update-secret-ok' })
        break
      case 'connection.close':
        endChannels()
        send(0, { name: 'connection.close-ok' })
        finish()
        break
      default:
        throw new ProtocolError('COMMAND_INVALID', 'unimplemented method')
    }
  }

  function onStartOk(method: Method<'connection.start-ok'>): void {
    clientProperties = method.clientProperties
    const declared = lookUp(clientProperties, 'capabilities')
    capabilities = declared?.type === 'F' ? declared.value : []
    user = authenticate(broker, method.mechanism, method.response)
    if (!user) {
      refuseLogin(method.mechanism)
      return
    }
    state = 'tuning'
    send(0, { name: 'connection.tune', channelMax, frameMax: largestFrame, heartbeat: heartbeatSeconds })
  }

  function refuseLogin(mechanism: string): void {
    const error = new ProtocolError(
      'ACCESS_REFUSED',
      `Login was refused using authentication mechanism ${mechanism}. For details see the broker logfile.`,
    )
    if (booleanOf(lookUp(capabilities, 'authentication_failure_close'))) sendClose(error, undefined)
    finish()
  }

  function onTuneOk(method: Method<'connection.tune-ok'>): void {
    const { minFrameMax } = broker.profile
    if (method.frameMax !== 0 && method.frameMax < minFrameMax)
      throw badNegotiation('frame_max', method.frameMax, minFrameMax, 'min')
    if (method.frameMax === 0 || method.frameMax > largestFrame)
      throw badNegotiation('frame_max', method.frameMax, largestFrame, 'max')
    if (method.channelMax === 0 || method.channelMax > channelMax)
      throw badNegotiation('channel_max', method.channelMax, channelMax, 'max')
    frameMax = method.frameMax
    flush()
    writer = createFrameWriter({ frameMax, headerMax: 0 })
    parser.setLimits({ bodyBytes: frameMax - 8, headerBytes: frameMax - 8 })
    heartbeat = createHeartbeat(method.heartbeat, {
      beat: () => {
        writer.heartbeat()
        planFlush()
      },
      onSilence: cut,
    })
    state = 'opening'
  }

  function onOpen({ vhost: name }: Method<'connection.open'>): void {
    const vhost = broker.vhosts.get(name)
    if (!vhost) throw new ProtocolError('NOT_ALLOWED', `vhost ${name} not found`)
    if (!permissionOf(broker, name, user!.name)) {
      throw new ProtocolError('NOT_ALLOWED', `access to vhost '${name}' refused for user '${user!.name}'`)
    }
    actor = { broker, vhost, user: user!, connection: identity }
    vhostName = name
    state = 'running'
    send(0, { name: 'connection.open-ok' })
  }

  function onChannelMethod(number: number, method: Method): void {
    if (state === 'closing') return
    if (state !== 'running') throw new ProtocolError('CHANNEL_ERROR', 'expected a method of class connection')
    const channel = channels.get(number)
    if (method.name === 'channel.open') openChannel(number, channel)
    else if (method.name === 'channel.close') closeByClient(number, channel)
    else if (method.name === 'channel.close-ok') {
      if (channel?.isClosing) channels.delete(number)
    } else if (channel) channel.method(method)
    else throw new ProtocolError('CHANNEL_ERROR', "expected 'channel.open'")
  }

  function openChannel(number: number, existing: ServerChannel | undefined): void {
    if (existing) throw new ProtocolError('CHANNEL_ERROR', "second 'channel.open' seen")
    if (channels.size >= channelMax) {
      throw new ProtocolError(
        'NOT_ALLOWED',
        `number of channels opened (${channels.size}) has reached the negotiated channel_max (${channelMax})`,
      )
    }
    channels.set(number, createServerChannel(number, channelHost))
    send(number, { name: 'channel.open-ok' })
  }

  function closeByClient(number: number, channel: ServerChannel | undefined): void {
    if (!channel) throw new ProtocolError('CHANNEL_ERROR', "expected 'channel.open'")
    if (!channel.isClosing) {
      channel.flush()
      channel.end()
      channels.delete(number)
    }
    send(number, { name: 'channel.close-ok' })
  }

  function onContent(number: number, take: (channel: ServerChannel) => void): void {
    if (state !== 'running') return
    const channel = channels.get(number)
    if (!channel) throw new ProtocolError('CHANNEL_ERROR', "expected 'channel.open'")
    take(channel)
  }

  function refuse(error: ProtocolError, number: number, cause: Method | undefined): void {
    const channel = channels.get(number)
    if (error.closes === 'channel' && channel) broker.inbox.run(() => channel.refuse(error, cause))
    else closeWith(error, cause)
    planFlush()
  }

  function closeWith(error: ProtocolError, cause: Method | undefined): void {
    if (state === 'closing' || state === 'closed') return
    endChannels()
    sendClose(error, cause)
    if (state === 'running' || state === 'opening' || state === 'tuning') {
      state = 'closing'
      setTimeout(finish, closeGraceMs).unref()
    } else finish()
    planFlush()
  }

  function sendClose(error: ProtocolError, cause: Method | undefined): void {
    const id = cause ? methodIdOf(cause.name) : 0
    send(0, {
      name: 'connection.close',
      replyCode: error.replyCode,
      replyText: error.replyText,
      classId: id >>> 16,
      methodId: id & 0xffff,
    })
  }

  function endChannels(): void {
    broker.inbox.run(() => {
      // All at once: what one channel gives back must not be handed to the next one that is about to end.
      for (const { model } of channels.values()) model.isSilenced = true
      for (const channel of channels.values()) channel.end()
      channels.clear()
      if (!actor) return
      const { vhost } = actor
      for (const queue of [...vhost.queues.values()]) {
        if (queue.owner === identity) removeQueue(broker, vhost, queue)
      }
    })
  }

  /** Sends what is left and lets go of the socket. */
  function finish(): void {
    if (state === 'closed') return
    flush()
    state = 'closed'
    heartbeat?.stop()
    socket.end()
  }

  function cut(): void {
    if (state !== 'closed') writer.take()
    state = 'closed'
    socket.resetAndDestroy()
  }

  function send(number: number, method: Method): void {
    writer.method(number, method)
    planFlush()
  }

  function planFlush(): void {
    if (isFlushPlanned || state === 'closed') return
    isFlushPlanned = true
    queueMicrotask(() => {
      isFlushPlanned = false
      flush()
    })
  }

  function flush(): void {
    if (state === 'closed') return
    for (const channel of channels.values()) channel.flush()
    if (writer.pendingBytes === 0) return
    heartbeat?.sent()
    const { buffers, release } = writer.take()
    socket.cork()
    for (const [at, bytes] of buffers.entries()) {
      if (at === buffers.length - 1) socket.write(bytes, release)
      else socket.write(bytes)
    }
    socket.uncork()
  }

  function onDrain(): void {
    broker.inbox.run(() => {
      for (const { model } of channels.values()) {
        for (const queue of new Set([...model.consumers.values()].map((active) => active.queue))) {
          queue.channelReady(model.port)
        }
      }
    })
    planFlush()
  }

  function applyBlock(): void {
    const reason = host.faults.blockedReason
    const isWanted = reason !== undefined && hasPublished
    if (isWanted === isBlocked || state !== 'running') return
    isBlocked = isWanted
    const isTold = booleanOf(lookUp(capabilities, 'connection.blocked'))
    if (isBlocked) {
      if (isTold) send(0, { name: 'connection.blocked', reason: reason! })
      socket.pause()
    } else {
      if (isTold) send(0, { name: 'connection.unblocked' })
      socket.resume()
    }
  }

  function createSink(number: number): AnswerSink {
    return {
      send: (method) => send(number, method),
      sendContent: (payload, properties, body) => {
        writer.content(number, payload, properties, body)
        planFlush()
      },
    }
  }

  const channelHost = {
    get actor() {
      return actor!
    },
    faults: host.faults,
    get supportsCancelNotify() {
      return booleanOf(lookUp(capabilities, 'consumer_cancel_notify')) ?? false
    },
    get isWritable() {
      return writer.pendingBytes + socket.writableLength < highWaterBytes
    },
    sink: createSink,
    sendConfirm: (number: number, deliveryTag: number, multiple: boolean) => {
      if (state !== 'running') return
      writer.ack(number, deliveryTag, multiple)
      planFlush()
    },
    cut,
    cutAfterFlush: () => {
      queueMicrotask(() => {
        flush()
        socket.end(() => cut())
      })
    },
    notePublish: () => {
      if (hasPublished) return
      hasPublished = true
      applyBlock()
    },
  }

  const connection: AmqpConnection = {
    name: `${socket.remoteAddress}:${socket.remotePort} -> ${socket.localAddress}:${socket.localPort}`,
    get user() {
      return user
    },
    get vhost() {
      return vhostName
    },
    get clientProperties() {
      return clientProperties
    },
    channels,
    get state() {
      return state
    },
    connectedAtMs: broker.clock.now(),
    get frameMax() {
      return frameMax
    },
    get isFlushed() {
      return !isFlushPlanned && writer.pendingBytes === 0 && socket.writableLength === 0
    },
    get receivedBytes() {
      return receivedBytes
    },
    flush,
    close: (error) => closeWith(error, undefined),
    cut,
    nudge: () => {
      if (state !== 'running') return
      writer.heartbeat()
      flush()
    },
    applyBlock,
  }

  socket.setNoDelay(true)
  socket.on('data', onData)
  socket.on('drain', onDrain)
  socket.on('error', () => undefined) // the close that follows says all there is to know
  socket.on('close', () => {
    endChannels()
    state = 'closed'
    heartbeat?.stop()
    host.onEnd(connection)
  })
  return connection
}

function badNegotiation(field: string, asked: number, limit: number, kind: 'min' | 'max'): ProtocolError {
  const words =
    kind === 'min'
      ? `negotiated ${field} = ${asked} is lower than the minimum allowed value (${limit})`
      : `negotiated ${field} = ${asked} is higher than the maximum allowed value (${limit})`
  return new ProtocolError('NOT_ALLOWED', words)
}
