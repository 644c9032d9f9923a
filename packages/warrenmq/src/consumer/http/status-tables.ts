/** What an HTTP status means. */
export type StatusMeaning = (typeof statusMeanings)[number]

export const statusMeanings = ['acknowledge', 'retry', 'defer', 'dead-letter'] as const

/** What a range of statuses means. */
export interface StatusRule {
  /** The first status that the rule is about. */
  readonly from: number
  /** The last one. @default the same as `from` */
  readonly to?: number
  /** What such a status means. */
  readonly means: StatusMeaning
}

/** Read from the top: the first rule that holds the status decides. */
export interface StatusTable {
  /** The first rule that holds a status decides. */
  readonly rules: readonly StatusRule[]
  /** Does a `Retry-After` choose the delay of a retry and of a deferral? */
  readonly honoursRetryAfter: boolean
}

/** A table that comes with Warren. */
export type StatusTableName = 'warren' | 'event-bus'

/** The tables that come with Warren. */
export const statusTables: Readonly<Record<StatusTableName, StatusTable>> = {
  /** The default. A client error does not go away by itself, so the message is parked immediately. */
  warren: {
    honoursRetryAfter: true,
    rules: [
      { from: 200, to: 299, means: 'acknowledge' },
      { from: 425, means: 'defer' },
      { from: 408, to: 409, means: 'retry' },
      { from: 423, to: 424, means: 'retry' },
      { from: 429, means: 'retry' },
      { from: 400, to: 499, means: 'dead-letter' },
      { from: 100, to: 599, means: 'retry' },
    ],
  },
  /** The event-bus table of statuses: everything that is neither a success nor too early is retried. */
  'event-bus': {
    honoursRetryAfter: false,
    rules: [
      { from: 200, to: 299, means: 'acknowledge' },
      { from: 425, means: 'defer' },
      { from: 100, to: 599, means: 'retry' },
    ],
  },
}

/** A status that no rule holds is retried: the one answer that loses nothing and decides nothing for good. */
export function meaningOfStatus(status: number, { rules }: StatusTable): StatusMeaning {
  return rules.find(({ from, to = from }) => status >= from && status <= to)?.means ?? 'retry'
}
