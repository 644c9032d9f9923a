import { ChannelError } from '../../errors.ts'
import { createEvents, type EventSource, type Events } from '../../events.ts'
import { dateNow, random } from '../../world.ts'
import { boundGoodbye } from './bound-goodbye.ts'
import type { AmqpChannel } from './channel.ts'
import type { AmqpConnection } from './connection.ts'
import { type BackoffPolicy, decideBackoff, healthyMs } from './decide-backoff.ts'
import { pause } from './pause.ts'
import type { SessionEvents } from './session-events.ts'
import type { Turns } from './turns.ts'

/** What a channel tells that is opened again after every loss. */
export interface SupervisedChannelEvents {
  /** It is set up and can be used; again after every loss. */
  opened: { readonly channel: AmqpChannel }
  /** It is gone and is opened again; `error` is undefined if nobody said why. */
  lost: { readonly error: Error | undefined }
  /** It was closed by its owner and does not come back. */
  ended: Record<never, never>
}

/** What a supervised channel needs of its session. */
export interface ChannelSupervision {
  /** What events call it, for example the queue that is consumed on it. */
  readonly name: string
  /** Makes a new channel ready: prefetch, confirms, consumers. Runs again after every loss. */
  readonly setUp: (channel: AmqpChannel) => Promise<void>
  /**
   * It holds no deliveries, which a channel that dies young gives back again and again, counted each time. So it may
   * come back soon whenever a wrong publish closes it: all others wait for it.
   */
  readonly isForPublishing: boolean
  /** How long to wait before the next attempt. */
  readonly backoff: BackoffPolicy
  /** How long a broker may take to answer that the channel is closed, in milliseconds. */
  readonly goodbyeMs: number
  /** Channels of one session are opened one by one, so that a broker that just came back is not overrun. */
  readonly opening: Turns
  /** Settles when there is a connection to open a channel on. */
  readonly whenConnected: () => Promise<AmqpConnection>
  /** Passes an event of the channel on to the session. */
  readonly tell: <Name extends keyof SessionEvents>(event: Name, detail: SessionEvents[Name]) => void
  /** The channel was closed by its owner, and the session can forget it. */
  readonly released: () => void
}

interface Life {
  readonly error: Error | undefined
  /** From the end of its set-up on; undefined where it did not get so far. */
  readonly livedMs: number | undefined
}

/** A channel that is opened again, with its own pauses, whatever closed it. */
export class SupervisedChannel {
  /** What events call it. */
  readonly name: string
  /** Each opening, each loss, and the end. */
  readonly events: Events<SupervisedChannelEvents>
  readonly #emit: EventSource<SupervisedChannelEvents> = createEvents<SupervisedChannelEvents>()
  readonly #of: ChannelSupervision
  readonly #ending = new AbortController()
  readonly #running: Promise<void>
  #current: AmqpChannel | undefined
  #waiting: { resolve: (channel: AmqpChannel) => void; reject: (error: Error) => void }[] = []

  constructor(supervision: ChannelSupervision) {
    this.name = supervision.name
    this.events = this.#emit
    this.#of = supervision
    this.#running = this.#run()
  }

  /** The channel of this moment, set up and open, if there is one. */
  get current(): AmqpChannel | undefined {
    return this.#current?.isOpen ? this.#current : undefined
  }

  /**
   * The channel of now, or the next one, set up.
   * @example
   * ```ts
   * const supervised = session.superviseChannel('orders', async () => {})
   * const channel = await supervised.whenOpen()
   * ```
   */
  whenOpen(): Promise<AmqpChannel> {
    if (this.current) return Promise.resolve(this.current)
    if (this.#ending.signal.aborted) return Promise.reject(closedError(this.name))
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }))
  }

  /**
   * Closes the channel and does not open it again. `withinMs`: how long the broker may take to answer that.
   * @example
   * ```ts
   * const supervised = session.superviseChannel('orders', async () => {})
   * await supervised.close()
   * ```
   */
  async close(withinMs?: number): Promise<void> {
    this.#ending.abort()
    if (this.#current) await this.#closeInTime(this.#current, withinMs)
    for (const waiting of this.#waiting.splice(0)) waiting.reject(closedError(this.name))
    this.#emit.emit('ended', {})
    this.#of.released()
  }

  /** A broker with an alarm does not read, so its answer may be far off; the channel closes without us then. */
  async #closeInTime(channel: AmqpChannel, withinMs: number | undefined): Promise<void> {
    const isDone = new AbortController()
    const patienceMs = boundGoodbye(this.#of.goodbyeMs, withinMs)
    await Promise.race([channel.close(), pause(patienceMs, isDone.signal)])
    isDone.abort()
  }

  /** Resolves when nothing of this channel runs any more. */
  get stopped(): Promise<void> {
    return this.#running
  }

  async #run(): Promise<void> {
    const { signal } = this.#ending
    for (let failures = 0; !signal.aborted; ) {
      const { error, livedMs } = await this.#liveOnce()
      if (signal.aborted) return
      const { backoff: policy, name, isForPublishing } = this.#of
      const wasHealthy = isForPublishing ? livedMs !== undefined : (livedMs ?? 0) >= healthyMs
      failures = error === undefined || wasHealthy ? 1 : failures + 1
      const nextAttemptMs = decideBackoff({ failures, isFinal: false, policy, random: random() })
      if (error) this.#of.tell('channel.failed', { channel: name, error, nextAttemptMs })
      await pause(nextAttemptMs, signal)
    }
  }

  /** From open to closed. The error is of the channel itself; a lost connection is not its fault. */
  async #liveOnce(): Promise<Life> {
    try {
      const connection = await this.#of.whenConnected()
      const channel = await this.#of.opening.take(() => this.#open(connection))
      if (!channel) return { error: undefined, livedMs: undefined }
      const openedAt = dateNow()
      const error = await this.#live(channel)
      return { error, livedMs: dateNow() - openedAt }
    } catch (error) {
      return { error: error as Error, livedMs: undefined }
    }
  }

  async #open(connection: AmqpConnection): Promise<AmqpChannel | undefined> {
    if (this.#ending.signal.aborted) return undefined
    const channel = await connection.openChannel()
    try {
      await this.#of.setUp(channel)
      return channel
    } catch (error) {
      await channel.close()
      throw error
    }
  }

  #live(channel: AmqpChannel): Promise<Error | undefined> {
    if (this.#ending.signal.aborted) return channel.close().then(() => undefined)
    // It may have been closed while it waited for its turn to be handed over.
    if (!channel.isOpen) return Promise.resolve(ownFault(channel.closeReason))
    return new Promise((resolve) => {
      channel.events.on('closed', ({ error }) => {
        this.#current = undefined
        this.#emit.emit('lost', { error })
        this.#of.tell('channel.lost', { channel: this.name, error })
        resolve(ownFault(error))
      })
      this.#current = channel
      // Its owner first: whoever hears of it through the session may use it at once, through its owner.
      this.#emit.emit('opened', { channel })
      this.#of.tell('channel.opened', { channel: this.name })
      for (const waiting of this.#waiting.splice(0)) waiting.resolve(channel)
    })
  }
}

function ownFault(error: Error | undefined): ChannelError | undefined {
  return error instanceof ChannelError ? error : undefined
}

function closedError(name: string): ChannelError {
  return new ChannelError({ code: 'CHANNEL_CLOSED', message: `The channel "${name}" is closed.` })
}
