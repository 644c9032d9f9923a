import { clearTimeout, dateNow, setTimeout } from '../world.ts'
import { createRefusals, type Refusals } from './refusals.ts'

export interface RenewalTask {
  /** Publishes on the channel of now that have no answer. */
  readonly unansweredCount: () => number
  /** Another one is opened in its place. */
  readonly closeChannel: () => void
  /** The channel stays after all, and publishes may go on. */
  readonly resume: () => void
}

interface Address {
  readonly exchange: string
  readonly key: string
}

/** So long the answers to what was sent are waited for before the channel is left as it is. */
const drainMs = 1_000

/**
 * Changes the channel of a publisher where an address refuses for long. Nothing is sent meanwhile, so that no publish
 * is left without its answer; where one stays away, the channel is kept and the others are not held up.
 */
export class ChannelRenewal {
  readonly #task: RenewalTask
  readonly #refusals: Refusals = createRefusals()
  #timer: NodeJS.Timeout | undefined
  #isDraining = false

  constructor(task: RenewalTask) {
    this.#task = task
  }

  /** Nothing may be sent until there is another channel, or `resume` is called. */
  get isDraining(): boolean {
    return this.#isDraining
  }

  accepted(address: Address): void {
    if (!this.#refusals.isEmpty()) this.#refusals.accepted(nameOf(address))
  }

  refused(address: Address): void {
    this.#refusals.refused(nameOf(address), dateNow())
    if (!this.#isDraining) this.#schedule()
  }

  /** Publishes were answered, or given up. */
  settled(): void {
    if (this.#isDraining && this.#task.unansweredCount() === 0) this.#task.closeChannel()
  }

  opened(): void {
    this.#end()
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#isDraining = false
  }

  #schedule(): void {
    const renewAtMs = this.#refusals.renewAtMs()
    if (this.#timer || renewAtMs === undefined) return
    this.#timer = setTimeout(() => this.#drain(), Math.max(0, renewAtMs - dateNow())).unref()
  }

  #drain(): void {
    this.#timer = undefined
    const renewAtMs = this.#refusals.renewAtMs()
    if (renewAtMs === undefined) return // it was taken meanwhile
    if (renewAtMs > dateNow()) {
      this.#schedule()
      return
    }
    this.#isDraining = true
    this.#timer = setTimeout(() => this.#giveUp(), drainMs)
    this.settled()
  }

  #giveUp(): void {
    if (this.#task.unansweredCount() === 0) return // closed, and the next one is on its way
    this.#end()
    this.#task.resume()
  }

  #end(): void {
    this.stop()
    this.#refusals.renewed(dateNow())
  }
}

function nameOf({ exchange, key }: Address): string {
  return `${exchange} ${key}`
}
