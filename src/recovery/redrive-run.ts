import { hostname } from 'node:os'
import type { AmqpChannel } from '../broker/amqp/channel.ts'
import type { WarrenError } from '../errors.ts'
import { Publisher } from '../publisher/publisher.ts'
import { clearLeftovers } from './clear-leftovers.ts'
import { closeSettled, depthOf, settledDepth, vhostOf } from './count-queue.ts'
import { createSetDigest, type SetDigest } from './digest-message.ts'
import { Pace } from './pace.ts'
import type { Receipt } from './receipt.ts'
import { createRecentMoves, type RecentMoves } from './recent-moves.ts'
import type { RedriveOptions } from './redrive.ts'
import { RedrivePass } from './redrive-pass.ts'
import { prepareRules, type RedriveRules } from './redrive-rules.ts'
import { RedriveTally } from './redrive-tally.ts'
import { type Lock, takeLock } from './take-lock.ts'
import type { WalkEnd } from './walk-queue.ts'

/** Messages under way at a time. With 2000 a prototype was half as fast on 4.0.5 as with 250 to 600. */
const defaultWindow = { messages: 400, bytes: 16 * 1024 * 1024 }

/** One re-drive from the lock to the receipt, over as many connections as it takes. */
export class RedriveRun {
  readonly #options: RedriveOptions
  readonly #id: string
  readonly #window: { messages: number; bytes: number }
  readonly #tally = new RedriveTally()
  readonly #recent: RecentMoves
  readonly #digest: SetDigest = createSetDigest()
  readonly #pace: Pace
  readonly #startedAt = Date.now()
  #pass: RedrivePass | undefined
  #present = 0
  /** Later arrivals that were sent ahead and given back. */
  #extras = 0
  #isCancelled = false

  constructor(options: RedriveOptions, id: string) {
    this.#options = options
    this.#id = id
    this.#window = { ...defaultWindow, ...options.window }
    this.#recent = createRecentMoves(this.#window.messages * 2)
    this.#pace = new Pace(options.ratePerSecond, () => this.#pass?.pump())
  }

  pause(): void {
    this.#pace.pause()
  }

  resume(): void {
    this.#pace.resume()
  }

  cancel(): void {
    this.#isCancelled = true
    this.#pass?.cancel()
  }

  async run(): Promise<Receipt> {
    const { consuming, publishing } = this.#options
    let lock = await this.#lock()
    // A confirm that got lost with its connection is asked for again; the copy has the same id.
    const publisher = new Publisher(publishing, { window: this.#window, resend: true })
    try {
      this.#present = await depthOf(consuming, this.#options.queue)
      const rules = await prepareRules(this.#options, { id: this.#id, atMs: this.#startedAt })
      let end = await this.#runPass(rules, publisher)
      while (end === 'lost') {
        await consuming.whenConnected()
        await lock.release()
        lock = await this.#lock()
        end = await this.#runPass(rules, publisher)
      }
      return await this.#count(rules, publisher, end)
    } finally {
      this.#pace.stop()
      await Promise.all([publisher.close(), lock.release()])
    }
  }

  #lock(): Promise<Lock> {
    const { consuming, queue, management, by } = this.#options
    const holder = `${by} on ${hostname()} (re-drive ${this.#id})`
    return takeLock({ session: consuming, queue, holder, management, vhost: vhostOf(consuming) })
  }

  async #runPass(rules: RedriveRules, publisher: Publisher): Promise<WalkEnd> {
    if (this.#isCancelled) return 'stopped'
    const { consuming, queue, onProgress } = this.#options
    const tally = this.#tally
    tally.startPass()
    rules.startPass(tally.moved)
    const left = this.#present - tally.moved
    if (tally.moved >= rules.limit) return 'all-seen'
    let channel: AmqpChannel | undefined
    try {
      channel = await consuming.openChannel()
      const probe = await consuming.openChannel()
      const pass = new RedrivePass({
        ...{ channel, probe, publisher, queue, tally, rules, count: left },
        ...{ window: this.#window, recent: this.#recent, digest: this.#digest, pace: this.#pace },
        // Who asks for ten is not sent four hundred.
        prefetch: Math.min(this.#window.messages, rules.limit),
        consumerTag: consumerTagOf(this.#id),
        ...{ onKept: this.#options.onKept, onFailed: this.#options.onFailed },
        onProgress: () => onProgress?.(this.#progress()),
      })
      this.#pass = pass
      const end = await pass.run()
      this.#extras = pass.extraCount
      await closeSettled(channel, probe, queue)
      return end
    } catch (error) {
      if (isLineLost(error as WarrenError)) return 'lost'
      throw error
    } finally {
      this.#pass = undefined
    }
  }

  /** Counts the queue before it says "done": an ack can be lost behind the close of its channel. */
  async #count(rules: RedriveRules, publisher: Publisher, end: WalkEnd): Promise<Receipt> {
    const { consuming, queue } = this.#options
    const tally = this.#tally
    const expected = this.#present - tally.moved
    let depth = await settledDepth(consuming, queue, expected + this.#extras)
    if (depth > expected && this.#recent.size > 0) {
      const unproved = await clearLeftovers({
        ...{ session: consuming, queue, recent: this.#recent, rules, publisher },
        count: Math.min(depth, tally.keptCount + tally.failedCount + this.#recent.size),
        window: this.#window.messages,
      })
      tally.duplicatesPossible += unproved
      depth = await settledDepth(consuming, queue, expected)
    }
    return this.#receipt({ rules, end, depth })
  }

  #receipt({ rules, end, depth }: { rules: RedriveRules; end: WalkEnd; depth: number }): Receipt {
    const { queue, by, reason, consuming } = this.#options
    const tally = this.#tally
    const endedAt = Date.now()
    const { moved, keptCount: kept, failedCount: failed } = tally
    const expected = this.#present - moved
    const seconds = Math.max(1, endedAt - this.#startedAt) / 1000
    return {
      format: 'warren-receipt/1',
      ...{ id: this.#id, queue, vhost: vhostOf(consuming), by, reason },
      startedAt: new Date(this.#startedAt).toISOString(),
      endedAt: new Date(endedAt).toISOString(),
      ratePerSecond: Math.round(moved / seconds),
      outcome: outcomeOf(end, this.#isCancelled),
      ...{ present: this.#present, moved, failed, kept },
      stillThere: this.#present - moved - failed - kept,
      arrivals: Math.max(0, depth - expected),
      missing: Math.max(0, expected - depth),
      ...{ duplicatesPossible: tally.duplicatesPossible, refreshed: tally.refreshed },
      isBalanced: depth >= expected && moved + failed + kept <= this.#present,
      targets: [...tally.targets].map(([target, count]) => ({ target, moved: count })),
      causes: [...tally.causes].map(([id, { label, count }]) => ({ id, label, moved: count })),
      failures: [...tally.failed].map(([kind, count]) => ({ kind, count })),
      keptBecause: [...tally.kept].map(([why, count]) => ({ reason: why, count })),
      digest: this.#digest.text(),
      refusals: rules.refusals(),
    }
  }

  #progress(): { present: number; moved: number; failed: number; kept: number } {
    const { moved, failedCount: failed, keptCount: kept } = this.#tally
    return { present: this.#present, moved, failed, kept }
  }
}

/** The first consumer of a re-drive has this tag, so that it can be found at the broker. */
export function consumerTagOf(redriveId: string): string {
  return `warren-redrive-${redriveId}`
}

function outcomeOf(end: WalkEnd, isCancelled: boolean): Receipt['outcome'] {
  if (isCancelled) return 'cancelled'
  return end === 'held-too-long' ? 'held-too-long' : 'done'
}

function isLineLost(error: WarrenError): boolean {
  return error.code.startsWith('CONNECTION_') || error.code === 'CHANNEL_CLOSED'
}
