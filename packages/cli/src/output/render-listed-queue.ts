import { escapeLine, formatCounted, type ListedQueue } from 'warrenmq/operations'
import { renderAge } from './render-age.ts'

/** One dead-letter queue of a list: its own line, and those below it. */
export interface ListedLines {
  readonly depth: string
  readonly queue: string
  readonly facts: string
  readonly below: readonly string[]
  readonly warning: string | undefined
}

const causesShown = 3

export function renderListedQueue(listed: ListedQueue, nowMs: number): ListedLines {
  const { queue, messages, oldest, growthPerMinute = 0, sources, consumers, notLookedAt } = listed
  const facts = [
    ...(oldest === undefined ? [] : [`oldest ${renderAge(nowMs - Date.parse(oldest))}`]),
    ...renderGrowth(growthPerMinute),
    ...(consumers === 0 ? [] : [renderConsumers(consumers)]),
  ]
  return {
    depth: String(messages).padStart(10),
    queue: escapeLine(queue),
    facts: facts.join(', '),
    below: [
      ...sources.map((source) => `from ${escapeLine(source.queue)} (${renderConsumers(source.consumers)})`),
      ...renderCauses(listed),
    ],
    warning: notLookedAt === undefined ? undefined : escapeLine(notLookedAt),
  }
}

/** Where nobody could count them there may be any number. */
function renderConsumers(consumers: number | undefined): string {
  if (consumers === undefined) return 'consumers unknown'
  return formatCounted(consumers, 'consumer')
}

function renderCauses({ causes, looked, messages }: ListedQueue): readonly string[] {
  // A share of the head says little about the rest, and whoever reads it has to know.
  const ofHead = looked < messages ? ` of the first ${looked}:` : ''
  return causes
    .slice(0, causesShown)
    .map(({ count, label }) => `${Math.round((count / looked) * 100)} %${ofHead} ${escapeLine(label)}`)
}

const rates = [
  ['min', 1],
  ['h', 60],
  ['d', 24 * 60],
] as const

/** In the shortest time in which it is at least one message: a queue that grows slowly grows all the same. */
function renderGrowth(perMinute: number): readonly string[] {
  const [name, minutes] = rates.find(([, each]) => Math.abs(perMinute * each) >= 1) ?? ['d', 24 * 60]
  const count = Math.round(perMinute * minutes)
  return count === 0 ? [] : [`${count > 0 ? '+' : ''}${count}/${name}`]
}
