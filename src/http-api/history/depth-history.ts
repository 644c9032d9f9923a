import type { DlqLists } from '../dlq-lists.ts'
import { addSamples, forgetBefore, type Growth, type History, readHistory } from './history-state.ts'

export interface HistorySettings {
  readonly everyMs: number
  readonly keepMs: number
}

/** Beyond this many queues no more are remembered. */
const mostQueues = 1_000
/** Of all queues together, some ten megabytes. */
const mostSamples = 250_000

/** Looks at all dead-letter queues again and again and remembers how many messages each had. */
export class DepthHistory {
  readonly #lists: Pick<DlqLists, 'listNow'>
  readonly #settings: HistorySettings
  readonly #onError: (error: unknown) => void
  readonly #timer: NodeJS.Timeout
  #history: History = new Map()
  #looking: Promise<void>
  #isLooking = false

  constructor(fields: {
    lists: Pick<DlqLists, 'listNow'>
    settings: HistorySettings
    onError: (error: unknown) => void
  }) {
    this.#lists = fields.lists
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

  read(queue: string, { seconds, points }: { seconds: number; points: number }): readonly Growth[] {
    const sinceMs = Date.now() - seconds * 1_000
    return readHistory(this.#history.get(queue) ?? [], { sinceMs, points })
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
