import { type LookReport, lookAtQueue } from 'warrenmq/operations'
import type { LookLimits, TimedLook } from './look-in-time.ts'

type TrackedLook = Required<Pick<TimedLook<LookReport>, 'soFar'>> & {
  readonly look: (limits: LookLimits) => Promise<LookReport>
}

/** A look that can tell at any time how far it is. Once it has told, no message is shown any more. */
export function trackedLook({
  onMessage,
  ...options
}: Omit<Parameters<typeof lookAtQueue>[0], keyof LookLimits>): TrackedLook {
  let present: number | undefined
  let seen = 0
  let isAnswered = false
  return {
    look: (limits) =>
      lookAtQueue({
        ...options,
        ...limits,
        onPresent: (found) => {
          present = found
        },
        onMessage: (message) => {
          if (isAnswered) return
          seen += 1
          onMessage(message)
        },
      }),
    soFar: () => {
      isAnswered = true
      return present === undefined ? undefined : { present, seen, refreshed: 0, isWhole: false }
    },
  }
}
