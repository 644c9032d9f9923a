import type { Events } from 'warrenmq'
import { type Clock, createEvents, type EventSource, realClock } from 'warrenmq/operations'
import { digestList } from './digest-list.ts'
import { beginFeed, changesSince, type FeedItems, type FeedState, takeItems } from './feed-state.ts'

export interface FeedOptions {
  readonly read: () => Promise<FeedItems>
  /** Is another one as soon as what is read may be; without it, it is read each time. */
  readonly edition?: (() => string) | undefined
  readonly everyMs: number
  /** It could not be read; it is read again. */
  readonly onError: (error: unknown) => void
  readonly clock?: Clock | undefined
}

/** What is to be sent to one who follows, and where they are then. */
export interface FeedUpdate {
  /** As JSON. */
  readonly data: string
  readonly digest: string
}

/** A list that is read for as long as somebody follows it, once for all who do. */
export class Feed {
  readonly events: Events<{ changed: undefined }>
  readonly #emit: EventSource<{ changed: undefined }> = createEvents()
  readonly #options: FeedOptions
  readonly #clock: Clock
  #state: FeedState | undefined
  #edition: string | undefined
  /** It is no older than who follows it; what was read for others before may be. */
  #isFresh = false
  #followers = 0
  #round = 0
  #stop = (): void => {}
  /** What was written for who is where, of the list of now. */
  readonly #written = new Map<string | undefined, FeedUpdate>()

  constructor(options: FeedOptions) {
    this.#options = options
    this.#clock = options.clock ?? realClock
    this.events = this.#emit
  }

  get isFollowed(): boolean {
    return this.#followers > 0
  }

  /** Begins to read with the first who follows, and ends with the last. Returns how to leave. */
  follow(): () => void {
    this.#followers += 1
    if (this.#followers === 1) {
      this.#isFresh = false
      this.#round += 1
      void this.#readOn(this.#round)
    }
    let isLeft = false
    return () => {
      if (isLeft) return
      isLeft = true
      this.#followers -= 1
      if (this.#followers === 0) this.#stop()
    }
  }

  /** What is new for somebody who is there; undefined where nothing is, or nothing has been read yet. */
  since(digest: string | undefined): FeedUpdate | undefined {
    const state = this.#state
    if (!state || !this.#isFresh || digest === state.digest) return undefined
    // Whatever else somebody says that they know is the same to us, and must not fill the memory.
    const from = digest !== undefined && state.versions.has(digest) ? digest : undefined
    const known = this.#written.get(from)
    if (known) return known
    const update = { data: renderChange(state, from), digest: state.digest }
    this.#written.set(from, update)
    return update
  }

  async #readOn(round: number): Promise<void> {
    await this.#read()
    // Those who followed may all have left meanwhile, and others may have begun another round.
    if (this.#followers === 0 || round !== this.#round) return
    this.#stop = this.#clock.schedule(this.#options.everyMs, () => void this.#readOn(round))
  }

  async #read(): Promise<void> {
    const { read, edition, onError } = this.#options
    const now = edition?.()
    if (this.#isFresh && now !== undefined && now === this.#edition) return
    try {
      const items = await read()
      const state = this.#state ? takeItems(this.#state, items, digestList) : beginFeed(items, digestList)
      this.#edition = now
      const isNews = state !== this.#state || !this.#isFresh
      if (state !== this.#state) this.#written.clear()
      this.#state = state
      this.#isFresh = true
      if (isNews) this.#emit.emit('changed', undefined)
    } catch (error) {
      onError(error)
    }
  }
}

function renderChange(state: FeedState, digest: string | undefined): string {
  const { isWhole, items, gone } = changesSince(state, digest)!
  return `{"isWhole":${isWhole},"items":[${items.join(',')}],"gone":${JSON.stringify(gone)}}`
}
