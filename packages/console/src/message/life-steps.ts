import type { Schemas } from '../api/api.ts'

export interface LifeStep {
  readonly kind: 'published' | 'died' | 'parked'
  readonly at: string | null
  readonly title: string
  readonly detail: string
}

type Message = Pick<
  Schemas['MessageDetail'],
  'properties' | 'deaths' | 'cause' | 'diedAt' | 'attempts' | 'exchange' | 'routingKey' | 'failedIn'
>

/** The life of a message, the oldest first: as far as its headers tell. */
export function lifeSteps(message: Message): readonly LifeStep[] {
  const { properties, deaths, cause, diedAt, attempts, exchange, routingKey, failedIn } = message
  const place = exchange === '' ? 'the default exchange' : exchange
  return [
    {
      kind: 'published',
      at: dateOrNull(properties.timestamp),
      title: 'Published',
      detail: `to ${place} with the key ${routingKey === '' ? '“”' : routingKey}`,
    },
    ...deaths.map(
      ({ queue, reason, count, firstAt }): LifeStep => ({
        kind: 'died',
        at: firstAt,
        title: titleOf(reason, count),
        detail: `in ${queue}`,
      }),
    ),
    {
      kind: 'parked',
      at: diedAt,
      title: attempts === null ? 'Dead' : `Dead after ${attempts} ${attempts === 1 ? 'try' : 'tries'}`,
      detail: failedIn === null ? cause.label : `failed in ${failedIn}: ${cause.label}`,
    },
  ]
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

/** Publishers may write seconds that are no date. */
function dateOrNull(time: string | null): string | null {
  return time !== null && !Number.isNaN(Date.parse(time)) && time.includes('T') ? time : null
}
