import type { DlqLists } from '../dlqs/dlq-lists.ts'
import {
  addSamples,
  forgetBefore,
  type Growth,
  growthOver,
  type History,
  joinSamples,
  readHistory,
} from './history.ts'
import type { ReadBrokerSamples } from './read-broker-samples.ts'

export interface HistorySettings {
  readonly everyMs: number
  readonly keepMs: number
}

/** Beyond this many queues no more are remembered. */
const mostQueues = 1_000
/** Shorter would tell a burst, and longer what was. */
const growthMs = 60_000
/** Of all queues together, some ten megabytes. */
const mostSamples = 250_000

/**
 * How many messages the dead-letter queues had. The broker is asked, which tells all servers the same; what it does
 * not remember is known from looking at all of them again and again.
 */
export class DepthHistory {
  readonly #lists: Pick<DlqLists, 'listNow'>
  readonly #readSamples: ReadBrokerSamples
  readonly #settings: HistorySettings
  readonly #onError: (error: unknown) => void
  readonly #timer: NodeJS.Timeout
  #history: History = new Map()
  #looking: Promise<void>
  #isLooking = false

  constructor(fields: {
    lists: Pick<DlqLists, 'listNow'>
    readSamples: ReadBrokerSamples
    settings: HistorySettings
    onError: (error: unknown) => void
  }) {
    this.#lists = fields.lists
    this.#readSamples = fields.readSamples
    this.#settings = fields.settings
    this.#onError = fields.onError
    this.#looking = this.#look()
    this.#timer = setInterval(() => {
      if (!this.#isLooking) this.#looking = this.#look()
    }, fields.settings.everyMs)
    this.#timer.unref()
  }

  queues(): readonly string[] {
    return [...this.#history.keys()]
  }

  async read(queue: string, asked: { seconds: number; points: number }): Promise<readonly Growth[]> {
    const samples = joinSamples(this.#history.get(queue) ?? [], await this.#readSamples(queue))
    return readHistory(samples, { sinceMs: Date.now() - asked.seconds * 1_000, points: asked.points })
  }

  /** How fast it has grown over the last minute, as this server saw it; null where that is not long enough. */
  growthOf(queue: string): number | null {
    return growthOver(this.#history.get(queue) ?? [], growthMs)
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#looking
  }

  async #look(): Promise<void> {
    const { everyMs, keepMs } = this.#settings
    this.#isLooking = true
    try {
      const depths = new Map<string, number>()
      for (const { queue, messages } of await this.#lists.listNow()) {
        if (messages !== undefined) depths.set(queue, messages)
      }
      const atMs = Date.now()
      const share = Math.floor(mostSamples / Math.min(mostQueues, Math.max(1, depths.size)))
      const limits = { queues: mostQueues, samples: Math.min(share, Math.ceil(keepMs / everyMs)) }
      this.#history = forgetBefore(addSamples(this.#history, { atMs, depths, limits }), atMs - keepMs)
    } catch (error) {
      this.#onError(error)
    } finally {
      this.#isLooking = false
    }
  }
}
