import type { IncomingMessage } from '../../broker/amqp/message.ts'
import { type Cause, causeOf } from '../../message/fingerprint-cause.ts'
import { readProperty } from '../../wire/properties.ts'
import type { CauseSplit } from './cause-splits.ts'
import { comparableText } from './comparable-text.ts'
import { readField } from './filter.ts'
import { subjectOf } from './message-filter.ts'
import type { GroupField } from './parse-group-by.ts'
import { diedAt } from './read-dead-letter.ts'
import { createSplitFinder, type SplitFinder } from './split-finder.ts'

/** The dead letters of one cause. */
export interface CauseGroup {
  /** The id of the cause, which a filter takes: `cause:<id>`. */
  readonly id: string
  /** The cause in words. */
  readonly label: string
  /** `error`: a consumer wrote an error down; `death`: only the broker's history says why; `unknown`: nothing does. */
  readonly kind: 'error' | 'death' | 'unknown'
  /** Messages of this cause. */
  readonly count: number
  /** When the first and the last of them died, as far as they tell, in ISO 8601. */
  readonly first: string | undefined
  /** See `first`. */
  readonly last: string | undefined
  /** The id of one of them. */
  readonly sample: string | undefined
  /** The values of the group in the fields that were grouped by; null if there is no such field. */
  readonly by?: readonly { readonly field: string; readonly value: string | null }[]
  /**
   * Fields that tell its messages apart, the likeliest first: if no error was recorded, reason and queue are all there
   * is, and several causes may look like one.
   */
  readonly splits?: readonly CauseSplit[]
}

/** Counts messages by why they died. */
export interface CauseGroups {
  /**
   * Counts one message.
   * @example
   * ```ts
   * createCauseGroups().add(message)
   * ```
   */
  add(message: IncomingMessage): void
  /**
   * The largest first. The last may be one for everything that belongs to none of them.
   * @example
   * ```ts
   * const groups = createCauseGroups()
   * groups.add(message)
   * console.log(groups.list()[0]?.label)
   * ```
   */
  list(): readonly CauseGroup[]
}

/** How finely to tell messages of one cause apart. */
export interface GroupOptions {
  /**
   * Tell messages of one cause apart by these. @default none
   * @example { groupBy: parseGroupBy('type,body.gateway') }
   */
  readonly groupBy?: readonly GroupField[]
  /**
   * Look for fields to tell them apart by. `without-body`: who asks is not shown bodies. @default 'none'
   * @example { splits: 'all' }
   */
  readonly splits?: 'all' | 'without-body' | 'none'
}

interface OpenGroup extends Cause {
  readonly sample: string | undefined
  readonly by: CauseGroup['by']
  readonly finder: SplitFinder | undefined
  count: number
  firstMs: number
  lastMs: number
}

/** Of fields with more values (an id, a time) the rest is one group: a million messages must not be a million groups. */
const mostGroups = 1_000
/** This many causes are examined: there is one per queue and reason. */
const mostFinders = 50
const longestValue = 200
const rest: Cause = { id: 'rest', label: `everything outside these ${mostGroups} groups`, kind: 'unknown' }

/**
 * Groups messages by why they died. What it holds does not grow with the number of messages.
 * @example
 * ```ts
 * const groups = createCauseGroups({ groupBy: parseGroupBy('type') })
 * groups.add(message)
 * const [first] = groups.list()
 * ```
 */
export function createCauseGroups({ groupBy = [], splits = 'none' }: GroupOptions = {}): CauseGroups {
  const groups = new Map<string, OpenGroup>()
  let finders = 0
  const open = (cause: Cause, fields: Pick<OpenGroup, 'sample' | 'by'>): OpenGroup => {
    const isFound = splits !== 'none' && cause.kind !== 'error' && cause !== rest && finders < mostFinders
    if (isFound) finders += 1
    const finder = isFound ? createSplitFinder({ includesBody: splits === 'all' }) : undefined
    return { ...cause, ...fields, finder, count: 0, firstMs: Number.POSITIVE_INFINITY, lastMs: 0 }
  }
  const groupOf = (message: IncomingMessage, cause: Cause): OpenGroup => {
    const by = groupBy.length === 0 ? undefined : readValues(message, groupBy)
    const name = by ? JSON.stringify([cause.id, ...by.map(({ value }) => value)]) : cause.id
    const known = groups.get(name)
    if (known) return known
    const isRest = by !== undefined && groups.size >= mostGroups
    const sample = readProperty(message.properties, 'messageId')
    const group = isRest
      ? (groups.get(rest.id) ?? open(rest, { sample, by: undefined }))
      : open(cause, { sample, by })
    groups.set(isRest ? rest.id : name, group)
    return group
  }
  return {
    add: (message) => {
      const headers = readProperty(message.properties, 'headers')
      const group = groupOf(message, causeOf(headers))
      const timeMs = diedAt(headers)
      group.count += 1
      group.finder?.add(message)
      if (timeMs === undefined) return
      group.firstMs = Math.min(group.firstMs, timeMs)
      group.lastMs = Math.max(group.lastMs, timeMs)
    },
    list: () => [...groups.values()].toSorted(byCount).map(close),
  }
}

function byCount(left: OpenGroup, right: OpenGroup): number {
  const isLast = Number(left.id === rest.id) - Number(right.id === rest.id)
  return isLast || right.count - left.count
}

function readValues(message: IncomingMessage, groupBy: readonly GroupField[]): NonNullable<CauseGroup['by']> {
  const subject = subjectOf(message, 0)
  return groupBy.map(({ name, field }) => {
    const value = comparableText(readField(field, subject)[0])
    return { field: name, value: value === undefined ? null : value.slice(0, longestValue) }
  })
}

function close({ firstMs, lastMs, finder, by, ...group }: OpenGroup): CauseGroup {
  const isTimed = lastMs > 0
  const splits = finder?.list() ?? []
  return {
    ...group,
    first: isTimed ? new Date(firstMs).toISOString() : undefined,
    last: isTimed ? new Date(lastMs).toISOString() : undefined,
    ...(by && { by }),
    ...(splits.length > 0 && { splits }),
  }
}
