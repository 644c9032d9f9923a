import type { Schemas } from '../api/api.ts'
import { sayFilter } from '../filter/say-filter.ts'
import { requestOf, searchOf } from '../redrive/redrive-search.ts'
import { targetWays } from '../redrive/target-ways.ts'
import { formatCount, formatCounted } from '../words/format-count.ts'

type Asks = Schemas['ApprovalAsks']
type Fact = readonly [name: string, value: string]

/** What is asked for, in words: who approves it need not read JSON. */
export function sayRequest(asks: Asks): readonly Fact[] {
  if (asks.action === 'apply') return sayApply(asks.request)
  if (asks.action === 'discard')
    return [
      ['Queue', asks.queue],
      ['Messages', sayMessages(asks.request)],
      ['Where to', 'Into a backup, from which they can be restored'],
      ...sayLimit(asks.request.limit),
    ]
  return sayRedrive(asks.request)
}

/** The page of a re-drive plans what its address says, and some requests say more than an address can. */
export function canBePlannedAgain(request: Schemas['RedriveRequest']): boolean {
  const told = requestOf(request.queue, searchOf(request))
  return Object.entries(request).every(
    ([name, value]) =>
      untold.includes(name) || isDefault(name, value) || isSame(value, told[name as keyof typeof told]),
  )
}

/** They do not change what would move. */
const untold = ['reason', 'planDigest']

function isDefault(name: string, value: unknown): boolean {
  return (name === 'to' && value === 'origin') || (name === 'attempts' && value === 'reset')
}

/** A queue may be named as it is, or as the object that tells it from a way. */
function isSame(asked: unknown, told: unknown): boolean {
  const plain = typeof told === 'string' && typeof asked === 'object' ? { queue: told } : told
  return JSON.stringify(asked) === JSON.stringify(plain)
}

function sayRedrive(request: Schemas['RedriveRequest']): readonly Fact[] {
  const { queue, to, attempts, ratePerSecond, canary, stopWhenDead, stopWhenTargetAbove, edit } = request
  return [
    ['Queue', queue],
    ['Messages', sayMessages(request)],
    ['Where to', sayTarget(to)],
    ...sayLimit(request.limit),
    ...fact('Not faster than', ratePerSecond, (rate) => `${formatCounted(rate, 'message')} a second`),
    ...fact('Try first', canary, ({ messages }) => formatCounted(messages, 'message')),
    ...fact('Stop if', stopWhenDead, (dead) => `${dead} die again`),
    ...fact('Stop if', stopWhenTargetAbove, (above) => `the target holds more than ${formatCount(above)}`),
    ...fact('Attempts', attempts, (way) => (way === 'continue' ? 'The count goes on' : 'Start at one')),
    ...fact('Edit', edit, ({ body, headers }) => sayEdit(body !== undefined, headers !== undefined)),
  ]
}

function sayApply({ plan, allowDisruptive }: Schemas['ApplyRequest']): readonly Fact[] {
  return [
    ['Plan', plan],
    ['Disruptive steps', allowDisruptive ? 'Also carried out' : 'Left out'],
  ]
}

function sayMessages({
  where,
  keys,
}: {
  readonly where?: string
  readonly keys?: readonly string[]
}): string {
  if (keys) return formatCounted(keys.length, 'selected message')
  const said = sayFilter(where)
  return said === undefined ? 'All of the queue' : `Those ${said}`
}

function sayTarget(to: Schemas['RedriveRequest']['to'] = 'origin'): string {
  if (typeof to !== 'string') return to.queue
  return targetWays.find(([way]) => way === to)?.[1] ?? to
}

function sayLimit(limit: number | undefined): readonly Fact[] {
  return fact('At most', limit, (most) => formatCounted(most, 'message'))
}

function sayEdit(changesBody: boolean, changesHeaders: boolean): string {
  if (changesBody && changesHeaders) return 'The body and headers are changed'
  return changesBody ? 'The body is changed' : 'Headers are changed'
}

function fact<Value>(name: string, value: Value | undefined, say: (value: Value) => string): readonly Fact[] {
  return value === undefined ? [] : [[name, say(value)]]
}
