import type { Schemas } from '../api/api.ts'
import { formatCounted } from '../words/format-count.ts'

export interface LifeStep {
  readonly kind: 'published' | 'failed' | 'died' | 'put-back' | 'parked'
  readonly at: string | null
  readonly title: string
  readonly detail: string
  /** The re-drive that did it. */
  readonly task?: string
}

type Message = Pick<
  Schemas['MessageDetail'],
  | 'properties'
  | 'headers'
  | 'deaths'
  | 'cause'
  | 'diedAt'
  | 'attempts'
  | 'exchange'
  | 'routingKey'
  | 'failedIn'
>

/** The life of a message, the oldest first: as far as its headers tell. */
export function lifeSteps(message: Message): readonly LifeStep[] {
  const { properties, deaths } = message
  const published: LifeStep = {
    kind: 'published',
    at: dateOrNull(properties.timestamp),
    title: 'Published',
    detail: sayPublished(message),
  }
  const history = deaths.map(
    ({ queue, reason, count, firstAt }): LifeStep => ({
      kind: 'died',
      at: firstAt,
      title: titleOf(reason, count),
      detail: `in ${queue}`,
    }),
  )
  // In the order of one round: what happens within a second stays in it.
  const between = [...firstFailure(message), ...putBack(message), ...history]
  return [published, ...inOrder(between), end(message)]
}

/** Where it was sent at first. As it lies in the queue it has the address by which it died last. */
function sayPublished(message: Message): string {
  const [first] = message.deaths
  const exchange = textOf(message, 'x-original-exchange') ?? first?.exchange ?? message.exchange
  const key = textOf(message, 'x-original-routing-key') ?? first?.routingKeys[0] ?? message.routingKey
  return `to ${exchange === '' ? 'the default exchange' : exchange} with the key ${key === '' ? '“”' : key}`
}

function firstFailure(message: Message): readonly LifeStep[] {
  const at = dateOrNull(textOf(message, 'warren-first-failed-at') ?? null)
  if (at === null || at === message.diedAt) return []
  return [
    { kind: 'failed', at, title: 'First attempt failed', detail: `in ${message.failedIn ?? 'a queue'}` },
  ]
}

/** Only the last re-drive has its headers; how often there was one, it counts. */
function putBack(message: Message): readonly LifeStep[] {
  const at = dateOrNull(textOf(message, 'x-redriven-at') ?? null)
  const task = textOf(message, 'x-redriven-id')
  if (at === null && task === undefined) return []
  const count = Number(textOf(message, 'x-redriven-count') ?? 1)
  const isEdited = message.headers.some(({ name }) => name === 'warren-previous')
  const reason = textOf(message, 'x-redriven-reason')
  return [
    {
      kind: 'put-back',
      at,
      title: `${isEdited ? 'Edited and put back' : 'Put back'}${count > 1 ? `, the ${ordinal(count)} time` : ''}`,
      detail: `by ${textOf(message, 'x-redriven-by') ?? 'an unknown person'}${reason ? `: “${reason}”` : ''}`,
      ...(task !== undefined && { task }),
    },
  ]
}

function end(message: Message): LifeStep {
  const { attempts, diedAt, failedIn, cause, headers } = message
  const again = headers.some(({ name }) => name === 'x-redriven-at') ? ' again' : ''
  const after = attempts === null ? '' : ` after ${formatCounted(attempts, 'attempt')}`
  return {
    kind: 'parked',
    at: diedAt,
    title: `Dead${again}${after}`,
    // Most causes name the queue themselves.
    detail:
      failedIn === null || cause.label.endsWith(`(${failedIn})`)
        ? cause.label
        : `failed in ${failedIn}: ${cause.label}`,
  }
}

/** Those without a time stay where they are. RabbitMQ tells whole seconds, so all are compared by these. */
function inOrder(steps: readonly LifeStep[]): readonly LifeStep[] {
  return steps.toSorted((left, right) =>
    left.at === null || right.at === null ? 0 : secondOf(left.at) - secondOf(right.at),
  )
}

function secondOf(time: string): number {
  return Math.floor(Date.parse(time) / 1_000)
}

function textOf({ headers }: Pick<Message, 'headers'>, wanted: string): string | undefined {
  const value = headers.find(({ name }) => name === wanted)?.value
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined
}

const reasons: Readonly<Record<string, string>> = {
  rejected: 'Rejected',
  expired: 'Waited',
  maxlen: 'Pushed out of a full queue',
  delivery_limit: 'Delivered too often',
}

function titleOf(reason: string, count: number): string {
  return `${reasons[reason] ?? reason}${count > 1 ? ` ${count} times` : ''}`
}

function ordinal(count: number): string {
  const ending = { one: 'st', two: 'nd', few: 'rd' }[ordinals.select(count) as string] ?? 'th'
  return `${count}${ending}`
}

const ordinals = new Intl.PluralRules('en', { type: 'ordinal' })

/** Publishers may write seconds that are no date. */
function dateOrNull(time: string | null): string | null {
  return time !== null && !Number.isNaN(Date.parse(time)) && time.includes('T') ? time : null
}
