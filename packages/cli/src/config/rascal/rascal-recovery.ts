import { formatDuration, type LiveTopology } from 'warrenmq/operations'
import {
  asSettings,
  isSettings,
  namedMembers,
  type RascalVhost,
  type Settings,
  textOf,
} from './rascal-vhost.ts'

/** What recovery strategies refer to. */
export interface RecoveryParts {
  readonly vhost: RascalVhost
  readonly live: LiveTopology
  readonly publications: readonly (readonly [string, Settings])[]
  readonly qualify: (name: string, kind: 'exchange' | 'queue') => string
}

/** What each list of recovery strategies is in Warren. Code chooses among them, so nobody can tell for which queue. */
export function readRecoveries(
  parts: RecoveryParts,
): readonly { readonly name: string; readonly says: string }[] {
  const recovery = asSettings(parts.vhost.config.recovery)
  return namedMembers(recovery).map(([name]) => {
    const steps = [recovery[name]].flat().filter(isSettings)
    return { name, says: steps.map((step) => describeStep(step, parts)).join(' Then: ') }
  })
}

function describeStep(step: Settings, parts: RecoveryParts): string {
  const { strategy, attempts, immediateNack, requeue, publication } = step
  const deferMs = typeof step.defer === 'number' ? step.defer : 0
  switch (strategy) {
    case 'ack':
      // A release of rascal nacks for it; what the author of a config meant is to be done with the message.
      return 'return from the handler: the message is done.'
    case 'nack':
    case 'fallback-nack':
      return requeue === true
        ? requeueWords(deferMs)
        : "return reject('…'): it is parked in the dead-letter queue."
    case 'republish':
      return immediateNack === true
        ? "return reject('…'): it is parked immediately, with its error."
        : retryWords(deferMs, attempts)
    case 'forward': {
      const delayMs = delayBehind(step, parts)
      return delayMs === undefined
        ? `publish to "${String(publication)}" in the handler, and return.`
        : retryWords(deferMs + delayMs, attempts)
    }
    default:
      return `Warren has nothing like the strategy "${String(strategy)}".`
  }
}

function requeueWords(deferMs: number): string {
  if (deferMs === 0) return 'return retry(): it comes back after its delay, not immediately.'
  return `return retry({ after: '${formatDuration(deferMs)}' }).`
}

function retryWords(delayMs: number, attempts: unknown): string {
  const delay = formatDuration(Math.max(delayMs, 1_000))
  const most = typeof attempts === 'number' ? `, maxAttempts: ${attempts + 1}` : ''
  return `throw, and declare retry: { delays: ['${delay}']${most} } on the queue.`
}

/** How long a message waits where a step forwards it to; undefined if it is no single delay queue. */
function delayBehind(step: Settings, { publications, live, qualify }: RecoveryParts): number | undefined {
  const settings = publications.find(([name]) => name === step.publication)?.[1]
  if (settings === undefined) return undefined
  const queue = textOf(settings.queue)
  const names =
    queue === undefined
      ? queuesBehind(qualify(textOf(settings.exchange) ?? '', 'exchange'), keysOf(step, settings), live)
      : [qualify(queue, 'queue')]
  const delays = live.queues
    .filter(({ name }) => names.includes(name))
    .map(({ arguments: { 'x-message-ttl': ttl } }) => ttl)
  const [only] = delays
  return delays.length === 1 && typeof only === 'number' ? only : undefined
}

/** The keys that a forwarded message surely has: that of the step or the publication, and those in CC. */
function keysOf({ options }: Settings, publication: Settings): readonly string[] {
  const { routingKey, options: ofStep } = asSettings(options)
  const copies = [asSettings(ofStep).CC, asSettings(publication.options).CC]
  return [routingKey ?? publication.routingKey, ...copies]
    .flat()
    .filter((key): key is string => typeof key === 'string')
}

/** Without a known key, all queues of the exchange: there is often just one. */
function queuesBehind(exchange: string, keys: readonly string[], live: LiveTopology): readonly string[] {
  const type = live.exchanges.find(({ name }) => name === exchange)?.type
  const takes = (pattern: string) =>
    keys.length === 0 ||
    type === 'fanout' ||
    keys.some((key) => (type === 'topic' ? patternOf(pattern).test(key) : pattern === key))
  return live.bindings
    .filter(({ source, key }) => source === exchange && takes(key))
    .map(({ destination }) => destination)
}

/** A topic pattern as a regular expression for keys with a dot before each word. */
function patternOf(pattern: string): { test(key: string): boolean } {
  const words = pattern.split('.').map((word) => {
    if (word === '#') return '(\\.[^.]*)*'
    return word === '*' ? '\\.[^.]*' : `\\.${word.replace(/[^\w]/g, '\\$&')}`
  })
  const expression = new RegExp(`^${words.join('')}$`)
  return { test: (key) => expression.test(`.${key}`) }
}
