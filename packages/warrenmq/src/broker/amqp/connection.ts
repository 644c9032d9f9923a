import type { Socket } from 'node:net'
import type { ConnectionError } from '../../errors.ts'
import { createEvents, type Events } from '../../events.ts'
import { createFrameParser, type FrameParser, type FrameSink } from '../../wire/frame-parser.ts'
import type { Method } from '../../wire/method-specs.ts'
import { decodeMethod } from '../../wire/methods.ts'
import { clearTimeout, randomUUID, setTimeout } from '../../world.ts'
import { boundGoodbye, goodbyeMs } from './bound-goodbye.ts'
import { AmqpChannel, type ChannelHost } from './channel.ts'
import {
  closedByBrokerError,
  closedError,
  heartbeatMissedError,
  lostError,
  timeoutError,
  unreadableError,
} from './closed-error.ts'
import { type ConnectionOptions, type SettledOptions, settleOptions } from './connection-options.ts'
import { freeChannelId } from './free-channel-id.ts'
import { type Agreement, explainRefusal, shakeHands } from './handshake.ts'
import { type Heartbeat, startHeartbeat } from './heartbeat.ts'
import { createMethodQueue, type MethodQueue } from './method-queue.ts'
import { openSocket } from './open-socket.ts'
import { createOutput, type Output } from './output.ts'
import type { Endpoint } from './parse-amqp-url.ts'
import { createReadPacer } from './read-pacer.ts'
import { timeoutSignal } from './timeout-signal.ts'
import { unaskedError } from './unexpected-error.ts'

/** What a connection tells. */
export interface ConnectionEvents {
  /** The connection is gone, for good; `error` is undefined when we closed it ourselves. */
  closed: { readonly error: ConnectionError | undefined }
  /** The broker has an alarm (memory, disk) and reads no publishes until `unblocked`. */
  blocked: { readonly reason: string }
  /** The alarm is over, and publishes are read again. */
  unblocked: Record<never, never>
}

const protocolHeader = Buffer.from('AMQP\x00\x00\x09\x01', 'latin1')
/** How long reading may wait for company: the least that a timer knows. */
const waitMs = 1
/** Until the limits are agreed on, nothing but a few methods can arrive. */
const handshakeLimits = { bodyBytes: 0, headerBytes: 1024 * 1024 }

/** Opens one connection to one endpoint: socket, TLS, login, vhost. */
export async function openConnection(
  endpoint: Endpoint,
  options: ConnectionOptions & { readonly signal?: AbortSignal } = {},
): Promise<AmqpConnection> {
  const settled = settleOptions(options, endpoint)
  const timeout = timeoutSignal(settled.connectTimeoutMs, endpoint, options.signal)
  try {
    const socket = await openSocket(endpoint, {
      signal: timeout.signal,
      ...(settled.tls && { tls: settled.tls }),
    })
    return await AmqpConnection.open({ socket, endpoint, options: settled, signal: timeout.signal })
  } finally {
    timeout.release()
  }
}

/** One AMQP connection, from open to closed; never reopened. The session opens the next one. */
export class AmqpConnection {
  /** Random; the broker lists it among the client's properties, as `warren_id`. */
  readonly id: string = randomUUID()
  /** Where it is connected, and as whom. */
  readonly endpoint: Endpoint
  /** Its end, and alarms of the broker. */
  readonly events: Events<ConnectionEvents>
  readonly #emit = createEvents<ConnectionEvents>()
  readonly #socket: Socket
  readonly #options: SettledOptions
  readonly #parser: FrameParser
  readonly #channels = new Map<number, AmqpChannel>()
  readonly #replies: MethodQueue = createMethodQueue()
  readonly #whenClosed: Promise<void>
  #output: Output
  #agreement: Agreement | undefined
  #heartbeat: Heartbeat | undefined
  #state: 'opening' | 'open' | 'closing' | 'closed' = 'opening'
  #blockedReason: string | undefined
  #closedBy: ConnectionError | undefined
  #lastChannelId = 0

  /** @internal */
  static async open(fields: {
    socket: Socket
    endpoint: Endpoint
    options: SettledOptions
    signal: AbortSignal
  }): Promise<AmqpConnection> {
    const connection = new AmqpConnection(fields)
    const abort = (): void => connection.#fail(fields.signal.reason as ConnectionError)
    fields.signal.addEventListener('abort', abort, { once: true })
    if (fields.signal.aborted) abort()
    try {
      await connection.#shakeHands()
      return connection
    } catch (error) {
      connection.#fail(error as ConnectionError)
      throw error
    } finally {
      fields.signal.removeEventListener('abort', abort)
    }
  }

  private constructor({
    socket,
    endpoint,
    options,
  }: {
    socket: Socket
    endpoint: Endpoint
    options: SettledOptions
  }) {
    this.endpoint = endpoint
    this.events = this.#emit
    this.#socket = socket
    this.#options = options
    this.#output = createOutput(socket, { frameMax: 0 })
    this.#parser = createFrameParser(this.#sink, handshakeLimits)
    socket.on('data', (chunk) => this.#receive(chunk))
    socket.on('error', (cause) => this.#fail(this.#lost(cause)))
    this.#whenClosed = new Promise((resolve) => {
      socket.on('close', () => {
        this.#fail(this.#lost())
        resolve()
      })
    })
  }

  /** False once it was closed or lost; it never opens again. */
  get isOpen(): boolean {
    return this.#state === 'open'
  }

  /** Why the broker reads no publishes now, if it does not. */
  get blockedReason(): string | undefined {
    return this.#blockedReason
  }

  /** Who the broker is and what was agreed on. */
  get agreement(): Agreement {
    return this.#agreement!
  }

  /** @internal */
  get output(): Output {
    return this.#output
  }

  /**
   * Opens a channel. The caller closes it.
   * @example
   * ```ts
   * const channel = await connection.openChannel()
   * ```
   */
  async openChannel(): Promise<AmqpChannel> {
    if (this.#state !== 'open') throw this.#closedError()
    const [taken, last, most] = [this.#channels, this.#lastChannelId, this.agreement.channelMax]
    this.#lastChannelId = freeChannelId({ taken, last, most })
    const channel = new AmqpChannel(this.#lastChannelId, this.#host)
    this.#channels.set(channel.id, channel)
    try {
      await channel.call({ name: 'channel.open' }, 'channel.open-ok')
    } catch (error) {
      void channel.close() // the broker may open it yet, and nobody would close it
      throw error
    }
    return channel
  }

  /**
   * Gives the broker a new password or token for this connection (OAuth 2), without a reconnect.
   * @example
   * ```ts
   * await connection.updateSecret('new token', 'the old one expires')
   * ```
   */
  async updateSecret(newSecret: string, reason: string): Promise<void> {
    if (this.#state !== 'open') throw this.#closedError()
    this.#sendMethod({ name: 'connection.update-secret', newSecret: Buffer.from(newSecret, 'utf8'), reason })
    await this.#nextReply()
  }

  /**
   * Says goodbye, sends what is still to be sent, and closes; within `withinMs` milliseconds, if given. Safe to call twice.
   * @example
   * ```ts
   * await connection.close(5_000)
   * ```
   */
  async close(withinMs?: number): Promise<void> {
    const giveUp = setTimeout(() => this.#socket.destroy(), boundGoodbye(this.#goodbyeMs, withinMs))
    if (this.#state === 'open') {
      for (const channel of this.#channels.values()) channel.flushAcks()
      this.#output.flush()
      this.#state = 'closing'
      this.#sendMethod({
        name: 'connection.close',
        replyCode: 200,
        replyText: 'goodbye',
        classId: 0,
        methodId: 0,
      })
      this.#output.flush()
    }
    await this.#whenClosed
    clearTimeout(giveUp)
  }

  get #goodbyeMs(): number {
    return Math.min(goodbyeMs, this.#options.replyTimeoutMs)
  }

  readonly #host: ChannelHost = (() => {
    const connection = this
    return {
      output() {
        return connection.#output
      },
      maxBodyBytes() {
        return connection.#options.maxBodyBytes
      },
      replyTimeoutMs() {
        return connection.#options.replyTimeoutMs
      },
      released: (channel: AmqpChannel) => {
        connection.#channels.delete(channel.id)
      },
    }
  })()

  readonly #pacer = createReadPacer()
  readonly #sink: FrameSink = {
    method: (channelId, payload) => {
      if (channelId === 0) this.#receiveMethod(decodeMethod(payload))
      else this.#channels.get(channelId)?.receiveMethod(payload)
    },
    header: (channelId, payload) => this.#channels.get(channelId)?.receiveHeader(payload),
    body: (channelId, piece) => this.#channels.get(channelId)?.receiveBody(piece),
    heartbeat: () => {},
  }

  async #shakeHands(): Promise<void> {
    this.#socket.write(protocolHeader)
    const line = { send: (method: Method) => this.#sendMethod(method), next: () => this.#replies.next() }
    const agreement = await shakeHands(line, this.endpoint, { ...this.#options, id: this.id })
    this.#refuseIfClosed()
    this.#agreement = agreement
    this.#output.flush()
    this.#output.release()
    this.#output = createOutput(this.#socket, { frameMax: agreement.frameMax })
    this.#parser.setLimits({
      bodyBytes: agreement.frameMax === 0 ? this.#options.maxBodyBytes : agreement.frameMax,
      headerBytes: this.#options.maxHeaderBytes,
    })
    this.#heartbeat = startHeartbeat({
      seconds: agreement.heartbeatSeconds,
      sentBytes: () => this.#output.sentBytes(),
      send: () => {
        this.#output.frames.heartbeat()
        this.#output.flush()
      },
      onMissed: () => this.#fail(heartbeatMissedError(this.endpoint, agreement.heartbeatSeconds)),
    })
    this.#state = 'open'
  }

  /** What came in one read with the last word of the handshake was not looked at yet. */
  #refuseIfClosed(): void {
    if (this.#state === 'closed') throw this.#closedBy ?? this.#closedError()
    const close = this.#replies.takeAll().find((method) => method.name === 'connection.close')
    if (!close) return
    this.#sendMethod({ name: 'connection.close-ok' })
    this.#output.flush()
    throw explainRefusal(close, this.endpoint)
  }

  /** A late answer still takes its place in the order; nobody listens to it any more. */
  #nextReply(): Promise<Method> {
    return new Promise((resolve, reject) => {
      const { replyTimeoutMs } = this.#options
      const giveUp = (): void => reject(timeoutError(this.endpoint, replyTimeoutMs))
      const timer = setTimeout(giveUp, replyTimeoutMs).unref()
      this.#replies
        .next()
        .then(resolve, reject)
        .finally(() => clearTimeout(timer))
    })
  }

  #receive(chunk: Buffer): void {
    this.#heartbeat?.received()
    try {
      this.#parser.push(chunk)
    } catch (cause) {
      const isOpening = this.#state === 'opening'
      this.#fail(unreadableError(this.endpoint, { isOpening, cause: cause as Error }))
      return
    }
    if (this.#pacer.shouldWait(chunk.length, this.#hasCreditLeft)) this.#readLater()
  }

  /** May the broker send more of itself? If it waits for acks, reading later would only delay them. */
  readonly #hasCreditLeft = (): boolean => {
    let hasConsumers = false
    for (const channel of this.#channels.values()) {
      if (channel.consumerCount === 0) continue
      hasConsumers = true
      if (!channel.hasCreditLeft) return false
    }
    return hasConsumers
  }

  #readLater(): void {
    this.#socket.pause()
    setTimeout(() => this.#socket.resume(), waitMs)
  }

  #receiveMethod(method: Method): void {
    switch (method.name) {
      case 'connection.blocked':
        this.#blockedReason = method.reason
        this.#emit.emit('blocked', { reason: method.reason })
        return
      case 'connection.unblocked':
        this.#blockedReason = undefined
        this.#emit.emit('unblocked', {})
        return
      case 'connection.close-ok':
        if (this.#state === 'opening' || this.#state === 'open') throw unaskedError(method.name)
        this.#end(undefined)
        return
      case 'connection.close':
        if (this.#state === 'opening') this.#replies.push(method)
        else this.#closedByBroker(method)
        return
      default:
        this.#receiveAnswer(method)
    }
  }

  #receiveAnswer(method: Method): void {
    // Once it is open there is one question on channel 0, and this is its answer.
    const isAnswer = method.name === 'connection.update-secret-ok' && this.#replies.isAwaited()
    if (this.#state === 'open' && !isAnswer) throw unaskedError(method.name)
    if (this.#state === 'opening' || isAnswer) this.#replies.push(method)
  }

  #closedByBroker(method: Method<'connection.close'>): void {
    this.#sendMethod({ name: 'connection.close-ok' })
    this.#output.flush()
    this.#end(this.#state === 'closing' ? undefined : closedByBrokerError(this.endpoint, method))
  }

  #sendMethod(method: Method): void {
    this.#output.frames.method(0, method)
    this.#output.written()
  }

  /** The end of a connection that spoke to the last word: the socket may send what it holds. */
  #end(error: ConnectionError | undefined): void {
    this.#tellEverybody(error)
    this.#socket.end()
    // The other side closes in its own time; it is not waited for longer than a goodbye.
    const giveUp = setTimeout(() => this.#socket.destroy(), this.#goodbyeMs)
    giveUp.unref()
    this.#socket.once('close', () => clearTimeout(giveUp))
  }

  /** The end of a connection that broke. */
  #fail(error: ConnectionError): void {
    this.#tellEverybody(this.#state === 'closing' ? undefined : error)
    this.#socket.destroy()
  }

  #tellEverybody(error: ConnectionError | undefined): void {
    if (this.#state === 'closed') return
    this.#state = 'closed'
    this.#closedBy = error
    this.#heartbeat?.stop()
    this.#output.release()
    const reason = error ?? this.#closedError()
    this.#replies.fail(reason)
    for (const channel of [...this.#channels.values()]) channel.connectionClosed(reason)
    this.#emit.emit('closed', { error })
  }

  #closedError(): ConnectionError {
    return closedError(this.endpoint, this.#closedBy)
  }

  #lost(cause?: Error): ConnectionError {
    return lostError(this.endpoint, { isOpening: this.#state === 'opening', cause })
  }
}
