import type { HeardNotice } from '../notices/notice.ts'
import { decideRequestChange, type KnownRequest } from './known-request.ts'

/** The most requests that are remembered; whoever sends one again does so soon. */
export const mostRequests = 10_000

/**
 * The requests with an idempotency key, by caller and key, hashed. It is changed in place, and by nobody else: a copy for
 * each notice would make the start of a server take the square of what is remembered.
 */
export class KnownRequests {
  readonly #byKey: Map<string, KnownRequest>
  /** Goes through the keys once, the oldest first. What it has passed is forgotten, so all that is known is before it. */
  readonly #oldest: Iterator<string>

  /** @param byKey empty; a test counts what is done with it */
  constructor(byKey: Map<string, KnownRequest> = new Map()) {
    this.#byKey = byKey
    this.#oldest = byKey.keys()
  }

  get size(): number {
    return this.#byKey.size
  }

  get(key: string): KnownRequest | undefined {
    return this.#byKey.get(key)
  }

  /** One of the servers told something. */
  heard(record: HeardNotice): void {
    const change = decideRequestChange(this.#byKey, record)
    switch (change.kind) {
      case 'none':
        return
      case 'failed':
        this.#byKey.delete(change.key)
        return
      case 'answered':
        this.#byKey.set(change.key, change.request)
        return
      case 'begun':
        this.#byKey.delete(change.key) // so that it becomes the newest
        this.#byKey.set(change.key, change.request)
        if (this.#byKey.size > mostRequests) this.#byKey.delete(this.#oldest.next().value as string)
    }
  }
}
