import { ConnectionError } from '../../errors.ts'
import { createEvents, type EventSource, type Events } from '../../events.ts'
import { dateNow, random } from '../../world.ts'
import { goodbyeMs } from './bound-goodbye.ts'
import type { AmqpChannel } from './channel.ts'
import { type AmqpConnection, openConnection } from './connection.ts'
import { type ConnectionOptions, settleOptions } from './connection-options.ts'
import { type BackoffPolicy, decideBackoff, defaultBackoff, healthyMs } from './decide-backoff.ts'
import { describeEndpoint, type Endpoint, parseAmqpUrl } from './parse-amqp-url.ts'
import { pause } from './pause.ts'
import { hideSecret } from './secret.ts'
import { oldSessionEvents, type SessionEvents } from './session-events.ts'
import { nextSessionState, type SessionState, type SessionStep } from './session-state.ts'
import { SupervisedChannel } from './supervised-channel.ts'
import { createTurns, type Turns } from './turns.ts'

/** How a connection is kept. */
export interface SessionOptions extends ConnectionOptions {
  /**
   * The pauses between attempts to connect.
   * @example { backoff: { initialMs: 250, maxMs: 60_000 } }
   */
  readonly backoff?: Partial<BackoffPolicy>
  /**
   * How long the first connection may take over all hosts and attempts, for brokers that are still starting, in milliseconds. @default one try each
   * @example { waitForBrokerMs: 120_000 }
   */
  readonly waitForBrokerMs?: number
}

/**
 * A connection that comes back. It reconnects over its hosts with growing pauses, and reopens its channels
 * one by one: those lost with the connection, and those the broker closed alone.
 */
export class Session {
  /** Connections and channels that come and go, and alarms of the broker. */
  readonly events: Events<SessionEvents>
  readonly #emit: EventSource<SessionEvents> = createEvents<SessionEvents>(oldSessionEvents)
  #endpoints: readonly Endpoint[]
  readonly #options: ConnectionOptions
  readonly #backoff: BackoffPolicy
  readonly #channels = new Set<SupervisedChannel>()
  readonly #opening: Turns = createTurns()
  readonly #ending = new AbortController()
  #state: SessionState = 'connecting'
  #connection: AmqpConnection | undefined
  #waiting: { resolve: (connection: AmqpConnection) => void; reject: (error: Error) => void }[] = []
  #nextEndpoint = 0
  #connectedAt = 0
  /** Connections in a row that did not live long. */
  #youngDeaths = 0

  /**
   * Connects. If the broker refuses (password, vhost, TLS), it rejects immediately with one clear error.
   * @example
   * ```ts
   * const session = await Session.open('amqp://guest:guest@localhost', { name: 'night shift' })
   * ```
   */
  static async open(urls: string | readonly string[], options: SessionOptions = {}): Promise<Session> {
    const session = new Session(urls, options)
    await session.#connectFirst(options.waitForBrokerMs)
    return session
  }

  private constructor(
    urls: string | readonly string[],
    { backoff, waitForBrokerMs: _, ...options }: SessionOptions,
  ) {
    this.events = this.#emit
    this.#endpoints = [urls].flat().flatMap(parseAmqpUrl)
    this.#options = options
    this.#backoff = { ...defaultBackoff, ...backoff }
  }

  /** Whether it is connected, and if not, what it is doing. */
  get state(): SessionState {
    return this.#state
  }

  /** The connection of this moment, if there is one. */
  get connection(): AmqpConnection | undefined {
    return this.#state === 'connected' ? this.#connection : undefined
  }

  /** The vhost of the first host; all hosts are taken to be nodes of one cluster. */
  get vhost(): string {
    return this.#endpoints[0]!.vhost
  }

  /** Why the broker reads no publishes now, if it does not. */
  get blockedReason(): string | undefined {
    return this.connection?.blockedReason
  }

  /** The broker of the current connection, or of the last one. */
  get broker(): { readonly product: string; readonly version: string } {
    const { product, version } = this.#connection!.agreement
    return { product, version }
  }

  /**
   * Opens a channel that is opened again, and `setUp` again, whenever it is lost.
   * @example
   * ```ts
   * const supervised = session.superviseChannel('orders', (channel) => channel.setPrefetch(100))
   * ```
   */
  superviseChannel(
    name: string,
    setUp: (channel: AmqpChannel) => Promise<void>,
    { isForPublishing = false }: { isForPublishing?: boolean } = {},
  ): SupervisedChannel {
    const channel = new SupervisedChannel({
      name,
      setUp,
      isForPublishing,
      backoff: this.#backoff,
      goodbyeMs: Math.min(goodbyeMs, this.#options.replyTimeoutMs ?? goodbyeMs),
      opening: this.#opening,
      whenConnected: () => this.whenConnected(),
      tell: (event, detail) => this.#emit.emit(event, detail),
      released: () => this.#channels.delete(channel),
    })
    // Not at once: whoever asked still wants to listen to its end.
    if (this.#state === 'closed') queueMicrotask(() => void channel.close())
    else this.#channels.add(channel)
    return channel
  }

  /**
   * A channel that is not reopened, for one task. The caller closes it.
   * @example
   * ```ts
   * const channel = await session.openChannel()
   * await channel.close()
   * ```
   */
  async openChannel(): Promise<AmqpChannel> {
    const connection = await this.whenConnected()
    return connection.openChannel()
  }

  /**
   * The connection of now, or the next one.
   * @example
   * ```ts
   * const connection = await session.whenConnected()
   * ```
   */
  whenConnected(): Promise<AmqpConnection> {
    if (this.connection) return Promise.resolve(this.connection)
    if (this.#state === 'closed') return Promise.reject(closedError())
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }))
  }

  /**
   * Gives the broker a new password or token: to the connection of now, and to every one that follows.
   * @example
   * ```ts
   * await session.updateSecret('new token', 'the old one expires')
   * ```
   */
  async updateSecret(newSecret: string, reason: string): Promise<void> {
    const password = hideSecret(newSecret)
    this.#endpoints = this.#endpoints.map((endpoint) => ({ ...endpoint, password }))
    await this.connection?.updateSecret(newSecret, reason)
  }

  /**
   * Closes the channels and the connection; nothing is reopened any more. Safe to call twice. `withinMs`: how long the
   * broker may take to answer that.
   * @example
   * ```ts
   * await session.close(5_000)
   * ```
   */
  async close(withinMs?: number): Promise<void> {
    const endsAtMs = withinMs === undefined ? undefined : dateNow() + withinMs
    this.#step('close')
    this.#ending.abort(closedError())
    for (const waiting of this.#waiting.splice(0)) waiting.reject(closedError())
    await Promise.all([...this.#channels].map((channel) => channel.close(withinMs)))
    await this.#connection?.close(endsAtMs === undefined ? undefined : endsAtMs - dateNow())
  }

  async #connectFirst(waitForBrokerMs: number | undefined): Promise<void> {
    const deadline = waitForBrokerMs === undefined ? 0 : dateNow() + waitForBrokerMs
    for (let failures = 1; ; failures += 1) {
      try {
        // A broker that takes connections and says nothing must not hold the last try for longer than there is time.
        const withinMs = failures === 1 ? undefined : Math.max(leastTryMs, deadline - dateNow())
        this.#adopt(await this.#connectToAny(withinMs))
        return
      } catch (error) {
        const nextAttemptMs = this.#decidePause(failures, isFinal(error))
        if (isFinal(error) || dateNow() + nextAttemptMs > deadline) {
          this.#step('close')
          throw error
        }
        await this.#waitToRetry(error as ConnectionError, nextAttemptMs)
      }
    }
  }

  /** One try per host, in turn; a host that says no speaks for all. */
  async #connectToAny(withinMs = Number.POSITIVE_INFINITY): Promise<AmqpConnection> {
    let last: unknown
    for (let tried = 0; tried < this.#endpoints.length; tried += 1) {
      const endpoint = this.#endpoints[this.#nextEndpoint % this.#endpoints.length]!
      try {
        const settled = settleOptions(this.#options, endpoint)
        const connectTimeoutMs = Math.min(settled.connectTimeoutMs, withinMs)
        return await openConnection(endpoint, {
          ...this.#options,
          connectTimeoutMs,
          signal: this.#ending.signal,
        })
      } catch (error) {
        last = error
        this.#nextEndpoint += 1
        if (isFinal(error) || this.#state === 'closed') break
      }
    }
    throw last
  }

  #adopt(connection: AmqpConnection): void {
    if (this.#state === 'closed') {
      void connection.close()
      return
    }
    this.#step('opened')
    this.#connection = connection
    this.#connectedAt = dateNow()
    connection.events.on('blocked', (event) => this.#emit.emit('connection.blocked', event))
    connection.events.on('unblocked', (event) => this.#emit.emit('connection.unblocked', event))
    connection.events.on('closed', ({ error }) => this.#lost(error))
    const { product, version } = connection.agreement
    this.#emit.emit('connection.opened', {
      endpoint: describeEndpoint(connection.endpoint),
      product,
      version,
    })
    for (const waiting of this.#waiting.splice(0)) waiting.resolve(connection)
  }

  #lost(error: ConnectionError | undefined): void {
    if (this.#state === 'closed') return
    this.#step('lost')
    // One that dies as soon as it is open would be opened twenty times a second, and each time what it had been
    // handed goes back to its queue and is counted there.
    this.#youngDeaths = dateNow() - this.#connectedAt >= healthyMs ? 0 : this.#youngDeaths + 1
    // A host that lets us in and throws us out must not keep us from the others.
    if (this.#youngDeaths > 0) this.#nextEndpoint += 1
    const nextAttemptMs = this.#decidePause(this.#youngDeaths)
    this.#emit.emit('connection.lost', { error: error ?? closedError(), nextAttemptMs })
    void this.#reconnect(nextAttemptMs)
  }

  async #reconnect(firstPauseMs: number): Promise<void> {
    await this.#pause(firstPauseMs)
    for (let failures = this.#youngDeaths + 1; this.#state === 'connecting'; failures += 1) {
      try {
        this.#adopt(await this.#connectToAny())
        return
      } catch (error) {
        await this.#waitToRetry(error as ConnectionError, this.#decidePause(failures, isFinal(error)))
      }
    }
  }

  async #waitToRetry(error: ConnectionError, nextAttemptMs: number): Promise<void> {
    this.#step('failed')
    if (this.#state === 'closed') return
    this.#emit.emit('connection.failed', { error, nextAttemptMs })
    await this.#pause(nextAttemptMs)
  }

  async #pause(nextAttemptMs: number): Promise<void> {
    await pause(nextAttemptMs, this.#ending.signal)
    this.#step('retry-due')
  }

  #decidePause(failures: number, isFinal = false): number {
    return decideBackoff({ failures, isFinal, policy: this.#backoff, random: random() })
  }

  #step(step: SessionStep): void {
    this.#state = nextSessionState(this.#state, step)
  }
}

/** A broker that is there answers within this, so it is granted although the time to wait for it is over. */
const leastTryMs = 1_000

/** What is no error of the connection is one of its options, which no other try will mend. */
function isFinal(error: unknown): boolean {
  return !(error instanceof ConnectionError) || error.isFinal
}

function closedError(): ConnectionError {
  return new ConnectionError({ code: 'CONNECTION_CLOSED', isFinal: true, message: 'The session is closed.' })
}
