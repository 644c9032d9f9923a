import { setTimeout as sleep } from 'node:timers/promises'
import { drainQueues, type FoundMessage } from './drain-queues.ts'
import type { SeededEntry } from './journal.ts'
import type { MortalBroker } from './mortal-broker.ts'
import type { Stage } from './stage.ts'
import { turnsTrue } from './turns-true.ts'

/** Turns of 50 ms that are counted, each of which takes about four times as long with what is done in it. */
const longestSearchMs = 15_000

/** Looks for the messages of one world when all is over. */
export class Search {
  readonly stage: Stage
  readonly entries: readonly SeededEntry[]
  /** Ids that are in files. */
  readonly sealed: ReadonlySet<string>
  readonly found: FoundMessage[] = []
  readonly #broker: MortalBroker

  constructor(fields: {
    readonly stage: Stage
    readonly broker: MortalBroker
    readonly entries: readonly SeededEntry[]
    readonly sealed: ReadonlySet<string>
  }) {
    this.stage = fields.stage
    this.entries = fields.entries
    this.sealed = fields.sealed
    this.#broker = fields.broker
  }

  /** What was confirmed, and is nowhere that was looked at. */
  get missing(): readonly string[] {
    const there = new Set<string | undefined>(this.sealed)
    for (const { id } of this.found) there.add(id)
    for (const entry of this.entries)
      if (entry.what === 'end' && entry.step === 'succeed') there.add(entry.id)
    return this.entries.flatMap((entry) =>
      entry.what === 'confirmed' && !there.has(entry.id) ? [entry.id] : [],
    )
  }

  /** Empties every queue until it stays so. What is between two queues just now comes into one of them. */
  async look(): Promise<void> {
    const { vhost, read } = this.stage
    const path = encodeURIComponent(vhost)
    const queues = await read<{ name: string }[]>(`/api/queues/${path}`)
    const names = queues.map(({ name }) => name)
    let emptyPasses = 0
    await turnsTrue(async () => {
      const more = await drainQueues(`${this.#broker.access.amqpUrl}/${path}`, names)
      this.found.push(...more)
      emptyPasses = more.length === 0 ? emptyPasses + 1 : 0
      if (emptyPasses > 0 && this.missing.length === 0) return true
      await sleep(200)
      return false
    }, longestSearchMs)
  }
}
