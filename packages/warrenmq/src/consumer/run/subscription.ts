import type { AmqpChannel } from '../../broker/amqp/channel.ts'
import type { Clock } from '../../clock.ts'
import { pause } from './pause.ts'

export interface SubscriptionParts {
  /** Asks for messages, and gives the tag to cancel it by. */
  readonly subscribe: (channel: AmqpChannel) => Promise<string>
  /** Messages can come. */
  readonly started: () => void
}

/** What a consumer receives by, from the opening of a channel to its loss, and over pauses. */
export class Subscription {
  readonly #parts: SubscriptionParts
  /** The channel on which the broker is being asked. */
  #asking: AmqpChannel | undefined
  #channel: AmqpChannel | undefined
  #consumerTag: string | undefined
  #isPaused = false
  /** One after the other: a pause that comes while the broker is asked must find what it has to cancel. */
  #steps: Promise<void> = Promise.resolve()

  constructor(parts: SubscriptionParts) {
    this.#parts = parts
  }

  /** The channel of this moment, whether messages come by it or not. */
  get channel(): AmqpChannel | undefined {
    return this.#channel
  }

  /** Undefined while the broker has not said that messages can come. */
  get consumerTag(): string | undefined {
    return this.#consumerTag
  }

  get isPaused(): boolean {
    return this.#isPaused
  }

  /** Begins to receive by a new channel, unless it is paused. */
  async begin(channel: AmqpChannel): Promise<void> {
    this.#channel = channel
    this.#consumerTag = undefined
    this.#steps = Promise.resolve() // those of a channel that is gone need not be waited for
    await this.#next(() => this.#ask(channel))
  }

  /** Resolves when nothing more can arrive. What has arrived stays with the channel. */
  async pause(): Promise<void> {
    this.#isPaused = true
    await this.#next(async () => {
      const [channel, tag] = [this.#channel, this.#consumerTag]
      if (channel === undefined || tag === undefined || !this.#isPaused) return
      await channel.cancel(tag).catch(() => undefined) // a channel that is lost has no consumer any more
      if (this.#channel === channel) this.#consumerTag = undefined
    })
  }

  /** Asks again. A channel on which that fails is closed, so that the next one tries. */
  async resume(): Promise<void> {
    this.#isPaused = false
    await this.#next(async () => {
      const channel = this.#channel
      if (channel !== undefined) await this.#ask(channel).catch(() => void channel.close())
    })
  }

  /** Asks for no more messages. A broker that does not answer is not waited for beyond the deadline. */
  async end(deadlineMs: number, clock: Clock): Promise<void> {
    const [channel, tag] = [this.#channel, this.#consumerTag]
    if (channel === undefined) return
    const isDone = new AbortController()
    await Promise.race([
      tag === undefined ? channel.close() : channel.cancel(tag).catch(() => undefined),
      pause(deadlineMs, { clock, signal: isDone.signal }),
    ])
    isDone.abort()
  }

  /** Its channel is gone. Says whether messages came by it. */
  lost(): boolean {
    const wasStarted = this.#consumerTag !== undefined
    this.#channel = undefined
    this.#consumerTag = undefined
    return wasStarted
  }

  async #ask(channel: AmqpChannel): Promise<void> {
    const isThere = this.#consumerTag !== undefined || this.#asking === channel
    if (this.#isPaused || this.#channel !== channel || isThere) return
    this.#asking = channel
    try {
      const tag = await this.#parts.subscribe(channel)
      if (this.#channel !== channel) return
      this.#consumerTag = tag
      this.#parts.started()
    } finally {
      if (this.#asking === channel) this.#asking = undefined
    }
  }

  async #next(step: () => Promise<void>): Promise<void> {
    const taken = this.#steps.then(step)
    this.#steps = taken.catch(() => undefined)
    await taken
  }
}
