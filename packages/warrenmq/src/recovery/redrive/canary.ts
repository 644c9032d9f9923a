/** Stop when this many re-driven messages are dead again: a number, or a share of those moved. */
export type DeadLimit =
  | {
      /** This many messages. */
      readonly messages: number
    }
  | {
      /** This share of the messages moved so far, from 0 to 1. */
      readonly share: number
    }

/** The messages that a re-drive sends first, and how long it watches them. */
export interface Canary {
  /** How many go first. */
  readonly messages: number
  /** How long to watch for messages that die again. @default 10000 */
  readonly waitMs?: number
}

const growth = 10

/** How many may be sent in all before the next look: the canary, then ten times as many each time. */
export function nextStageLimit({ sent, canary }: { sent: number; canary: Canary | undefined }): number {
  if (!canary) return Number.POSITIVE_INFINITY
  return Math.max(canary.messages, sent * growth)
}

/** How many of the moved messages may be dead again before it stops; a canary allows none. */
export function deadThreshold(fields: {
  moved: number
  deadLimit: DeadLimit | undefined
  canary: Canary | undefined
}): number {
  const { moved, deadLimit, canary } = fields
  if (!deadLimit) return canary ? 1 : Number.POSITIVE_INFINITY
  return 'messages' in deadLimit ? deadLimit.messages : Math.max(1, Math.ceil(moved * deadLimit.share))
}
