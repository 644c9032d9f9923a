import {
  type IncomingMessage,
  joinSignals,
  type LookReport,
  messageFilter,
  parseFilter,
} from 'warrenmq/operations'
import type { CallerName } from '../auth/is-same-caller.ts'
import type { Problem, Snapshot, SortOrder } from '../contract/contract.ts'
import { problemOf } from '../problems.ts'
import type { RowMarks } from '../snapshot-index/marks.ts'
import { orderColumns, type PositionOrder } from '../snapshot-index/order-columns.ts'
import { orderMarked } from '../snapshot-index/pick-rows.ts'
import { SnapshotColumns } from '../snapshot-index/snapshot-columns.ts'
import type { SnapshotFile } from './snapshot-file.ts'
import { type SearchPlace, SnapshotSearch } from './snapshot-search.ts'

/** What a snapshot asks of the server that makes it. */
export interface SnapshotMaking {
  readonly id: string
  readonly queue: string
  readonly where: string | undefined
  readonly maker: CallerName
  readonly ageMs: number
  /** Opens its file. */
  readonly openFile: () => Promise<SnapshotFile>
  /** Looks at the queue when it is its turn. */
  readonly look: (look: SnapshotLook) => Promise<LookReport>
  readonly nameMessage: (message: IncomingMessage) => string
  /** Throws where the server has no room for more. */
  readonly checkRoom: () => void
  readonly inTurn: SearchPlace['inTurn']
  readonly onError: (error: unknown) => void
}

export interface SnapshotLook {
  readonly sink: SnapshotFile
  readonly signal: AbortSignal
  readonly onPresent: (present: number) => void
  readonly onMessage: (message: IncomingMessage) => void
}

/** How often the room is looked at, and after which message it always is: a few of those take as much as many others. */
const messagesPerCheck = 256
const largeBytes = 64 * 1024
/**
 * A page asks up to three filters at once, and again until all is searched: of more than are kept, each would push out
 * another that has not come to its end, and none ever would. Each takes up to 250 kB for a million messages.
 */
const mostSearches = 32
const mostOrders = 2

/** A snapshot from the first message of its look until it is erased. */
export class KeptSnapshot {
  readonly id: string
  readonly queue: string
  readonly where: string | undefined
  readonly maker: CallerName
  readonly startedAtMs = Date.now()
  /** Resolves when its look has begun or has ended; rejects where it was refused before. */
  readonly begun: Promise<void>
  /** Resolves when it has ended, however. */
  readonly ended: Promise<void>
  readonly #of: SnapshotMaking
  readonly #stopping = new AbortController()
  readonly #searches = new Map<string, SnapshotSearch>()
  readonly #orders = new Map<SortOrder, PositionOrder>()
  /** What pages of one filter are cut from, one after the other. */
  #selected: { readonly marks: RowMarks; readonly sort: SortOrder; readonly rows: PositionOrder } | undefined
  readonly #isWanted: (message: IncomingMessage) => boolean
  #columns = new SnapshotColumns()
  #file: SnapshotFile | undefined
  #state: Snapshot['state'] = 'running'
  #asOfMs = this.startedAtMs
  #endedAtMs: number | undefined
  #present = 0
  #seen = 0
  #isWhole = false
  #isErased = false
  #isCancelled = false
  #problem: Problem | null = null

  constructor(options: SnapshotMaking) {
    const { id, queue, where, maker } = options
    this.#of = options
    this.id = id
    this.queue = queue
    this.where = where
    this.maker = maker
    this.#isWanted = where === undefined ? () => true : messageFilter(parseFilter(where), this.startedAtMs)
    let begin = (): void => {}
    const looking = new Promise<void>((resolve) => {
      begin = resolve
    })
    const making = Promise.resolve().then(() => this.#make(begin))
    this.begun = Promise.race([looking, making])
    this.begun.catch(() => {}) // whoever waits for it is told
    this.ended = making.catch(() => {})
  }

  get by(): string {
    return this.maker.name
  }

  get columns(): SnapshotColumns {
    return this.#columns
  }

  get state(): Snapshot['state'] {
    return this.#state
  }

  get asOfMs(): number {
    return this.#asOfMs
  }

  /** Messages in the queue when its look began. */
  get present(): number {
    return this.#present
  }

  /** Undefined: it is running. */
  get endedAtMs(): number | undefined {
    return this.#endedAtMs
  }

  /** It was told to end, and has not ended yet. */
  get isCancelling(): boolean {
    return this.#isCancelled && this.#state === 'running'
  }

  get isErased(): boolean {
    return this.#isErased
  }

  /** On the disk. */
  get bytes(): number {
    return this.#file?.bytes ?? 0
  }

  describe(): Omit<Snapshot, 'since' | 'host'> {
    const endedAtMs = this.#endedAtMs
    return {
      id: this.id,
      queue: this.queue,
      state: this.#state,
      by: this.by,
      where: this.where ?? null,
      startedAt: timeOf(this.startedAtMs),
      endedAt: endedAtMs === undefined ? null : timeOf(endedAtMs),
      asOf: timeOf(this.#asOfMs),
      expiresAt: endedAtMs === undefined ? null : timeOf(endedAtMs + this.#of.ageMs),
      progress: { present: this.#present, seen: this.#seen },
      isWhole: this.#isWhole,
      messages: this.columns.length,
      bytes: this.bytes,
      problem: this.#problem,
    }
  }

  /** The message at a position. Only when it is done. */
  async read(position: number): Promise<IncomingMessage> {
    const stored = await this.#file!.read(this.columns.placeOf(position))
    return { ...stored, ...this.columns.addressOf(position) }
  }

  /** What a filter selects, begun anew only where nobody has asked lately. Only when it is done. */
  search(where: string): SnapshotSearch {
    const known = this.#searches.get(where)
    if (known && !known.isAbandoned) return remember(this.#searches, where, known)
    const search = new SnapshotSearch(parseFilter(where), {
      columns: this.columns,
      file: this.#file!,
      asOfMs: this.#asOfMs,
      inTurn: this.#of.inTurn,
    })
    remember(this.#searches, where, search)
    for (const forgotten of forgetBeyond(this.#searches, mostSearches)) void forgotten.close()
    return search
  }

  /** All positions in an order. Only when it is done. */
  order(sort: SortOrder): PositionOrder {
    const order = this.#orders.get(sort) ?? orderColumns(this.columns, sort)
    remember(this.#orders, sort, order)
    forgetBeyond(this.#orders, mostOrders)
    return order
  }

  /** All that a search has marked, in an order. Only when the search is done. */
  orderMarked(marks: RowMarks, sort: SortOrder): PositionOrder {
    if (this.#selected?.marks !== marks || this.#selected.sort !== sort)
      this.#selected = { marks, sort, rows: orderMarked(marks, this.order(sort)) }
    return this.#selected.rows
  }

  /** Ends its look; what was held goes back. It stays known as cancelled. */
  async cancel(): Promise<void> {
    this.#isCancelled = true
    this.#stopping.abort()
    await this.ended
  }

  /** Ends it where it is running, and frees all that it holds. */
  async erase(): Promise<void> {
    this.#isErased = true
    await this.cancel()
    await Promise.all([...this.#searches.values()].map((search) => search.close()))
    this.#searches.clear()
    this.#orders.clear()
    this.#selected = undefined
    await this.#drop()
  }

  async #make(onBegin: () => void): Promise<void> {
    try {
      const file = await this.#of.openFile()
      this.#file = file
      const { isWhole } = await this.#look(file, onBegin)
      await file.settle()
      this.#stopping.signal.throwIfAborted()
      this.#columns.trim()
      this.#isWhole = isWhole
      this.#state = 'done'
    } catch (error) {
      await this.#fail(error)
      throw error
    } finally {
      this.#endedAtMs = Date.now()
    }
  }

  /** A look that is called off ends without a word; what called it off has one. */
  async #look(file: SnapshotFile, onBegin: () => void): Promise<LookReport> {
    const { signal, release } = joinSignals([this.#stopping.signal, file.failing])
    try {
      return await this.#of.look({
        sink: file,
        signal,
        onPresent: (present) => {
          this.#present = present
          onBegin()
        },
        onMessage: (message) => {
          this.#seen += 1
          this.#asOfMs = Date.now()
          if (this.#isWanted(message)) this.#add(message, file)
        },
      })
    } finally {
      release()
    }
  }

  #add(message: IncomingMessage, file: SnapshotFile): void {
    if (this.#stopping.signal.aborted) return
    this.#columns.add(message, this.#of.nameMessage(message), file.add(message))
    if (this.#columns.length % messagesPerCheck !== 0 && message.bodyBytes < largeBytes) return
    try {
      this.#of.checkRoom()
    } catch (error) {
      this.#stopping.abort(error)
    }
  }

  async #fail(error: unknown): Promise<void> {
    this.#state = this.#isCancelled ? 'cancelled' : 'failed'
    this.#problem = this.#isCancelled ? null : problemOf(error)
    if (this.#problem?.status === 500) this.#of.onError(error)
    await this.#drop()
  }

  async #drop(): Promise<void> {
    const file = this.#file
    this.#file = undefined
    this.#columns = new SnapshotColumns()
    await file?.close()
  }
}

/** Puts it behind all others: what is asked for is the last to be forgotten. */
function remember<Name, Value>(map: Map<Name, Value>, name: Name, value: Value): Value {
  map.delete(name)
  map.set(name, value)
  return value
}

function forgetBeyond<Name, Value>(map: Map<Name, Value>, most: number): readonly Value[] {
  const forgotten = [...map].slice(0, Math.max(0, map.size - most))
  for (const [name] of forgotten) map.delete(name)
  return forgotten.map(([, value]) => value)
}

function timeOf(timeMs: number): string {
  return new Date(timeMs).toISOString()
}
