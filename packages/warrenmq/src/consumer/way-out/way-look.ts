import type { Management } from '../../broker/management/open-management.ts'
import { realClock } from '../../clock.ts'
import { ManagementError } from '../../errors.ts'
import { abortAfter, dateNow } from '../../world.ts'
import { pause } from '../run/pause.ts'
import type { ManagedWay } from './decide-way-out.ts'
import { lookByManagement, type ManagementLook } from './look-by-management.ts'

/** Asks the management API about ways out, for all consumers of one application. */
export interface WayLook {
  /**
   * What is known of a way; asked once for all consumers that ask in the meantime.
   * @example
   * ```ts
   * const managed = await createWayLook(() => management).look(way)
   * ```
   */
  look(way: Omit<ManagementLook, 'management'>): Promise<ManagedWay>
}

/**
 * One look takes no longer, the proof that it is the right broker included; the start of other consumers waits behind it.
 * In milliseconds, like the others.
 */
const longestLookMs = 10_000
/** If nobody answered, the next consumer does not wait for an answer again. */
const awayMs = 30_000
/** A broker that comes back opens AMQP and HTTP one after the other. */
const comesBackWithinMs = 5_000
const pauseMs = 250

/**
 * `management` belongs to the caller, and is proved to be the API of the broker that is consumed from.
 * @example
 * ```ts
 * const wayLook = createWayLook(() => management)
 * ```
 */
export function createWayLook(management: () => Management): WayLook {
  let hasAnswered = false
  let away: { readonly error: unknown; readonly untilMs: number } | undefined

  async function lookOnce(way: Omit<ManagementLook, 'management'>): Promise<ManagedWay> {
    const signal = AbortSignal.any([way.signal, abortAfter(longestLookMs)])
    const seen = await lookByManagement({ ...way, management: management(), signal })
    hasAnswered = true
    return seen
  }

  return {
    look: async (way) => {
      if (away && dateNow() < away.untilMs) throw away.error
      const givesUpAtMs = dateNow() + (hasAnswered ? comesBackWithinMs : 0)
      for (;;) {
        try {
          return await lookOnce(way)
        } catch (error) {
          if (way.signal.aborted || !isAway(error)) throw error
          if (dateNow() >= givesUpAtMs) {
            away = { error, untilMs: dateNow() + awayMs }
            throw error
          }
          await pause(pauseMs, { clock: realClock, signal: way.signal })
        }
      }
    },
  }
}

/** Nobody answered, or only that it is not ready. A refusal is an answer. */
function isAway(error: unknown): boolean {
  if (!(error instanceof ManagementError)) return error instanceof DOMException
  return error.status === undefined || error.status >= 500
}
