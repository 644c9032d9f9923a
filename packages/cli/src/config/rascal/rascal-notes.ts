import { formatDuration, type LiveTopology } from 'warrenmq/operations'
import {
  asSettings,
  isSettings,
  namedMembers,
  type RascalVhost,
  type Settings,
  textOf,
} from './rascal-vhost.ts'

/** Something that a rascal config says and a topology does not. */
export interface RascalNote {
  /** Where it stands in the config. */
  readonly path: string
  readonly says: string
  /** It is part of the topology, and could not be written down. */
  readonly isMissing: boolean
}

export interface RascalParts {
  readonly vhost: RascalVhost
  readonly live: LiveTopology
  readonly queues: readonly (readonly [string, Settings])[]
  readonly publications: readonly (readonly [string, Settings])[]
  readonly subscriptions: readonly (readonly [string, Settings])[]
  readonly qualify: (name: string, kind: 'exchange' | 'queue') => string
}

/** Everything that the topology cannot say, in the order of the config. */
export function rascalNotes(parts: RascalParts): readonly RascalNote[] {
  const { vhost, queues, publications, subscriptions } = parts
  return [
    ...namespaceNotes(vhost),
    ...queues.flatMap(([name, settings]) => queueNotes(name, settings)),
    ...publications.flatMap(([name, settings]) => publicationNotes(name, settings, parts)),
    ...subscriptions.map(([name, settings]) => subscriptionNote(name, settings, parts)),
    ...namedMembers(vhost.config.recovery).map(([name]) => recoveryNote(name, parts)),
    ...namedMembers(vhost.config.shovels).map(([name]) =>
      note(`shovels.${name}`, 'Bind the queue to the exchange, or use the Shovel plugin of RabbitMQ.'),
    ),
    ...namedMembers(vhost.config.encryption).map(([name]) =>
      note(
        `encryption.${name}`,
        'Warren does not encrypt bodies. Encrypt before you publish, and decrypt with the option decode.',
      ),
    ),
  ]
}

function note(path: string, says: string): RascalNote {
  return { path, says, isMissing: false }
}

function missing(path: string, says: string): RascalNote {
  return { path, says, isMissing: true }
}

function namespaceNotes({ name, isNamespaceRandom }: RascalVhost): readonly RascalNote[] {
  if (!isNamespaceRandom) return []
  return [
    missing(
      `vhosts.${name}.namespace`,
      'Names are random at each start, as in tests; they are written without it.',
    ),
  ]
}

function queueNotes(name: string, { options, replyTo, purge, assert }: Settings): readonly RascalNote[] {
  const path = `queues.${name}`
  return [
    ...(asSettings(options).exclusive === true
      ? [missing(path, 'It is exclusive and ends with its connection, so it cannot be declared ahead.')]
      : []),
    ...(replyTo === true
      ? [missing(path, 'Its name is random at each start, so it cannot be declared ahead.')]
      : []),
    ...(purge === true ? [note(path, 'purge is not kept: Warren never empties a queue at its start.')] : []),
    ...(assert === false
      ? [note(path, 'assert is false, but `warren apply` creates it if it is missing.')]
      : []),
  ]
}

function publicationNotes(
  name: string,
  settings: Settings,
  { live, qualify }: RascalParts,
): readonly RascalNote[] {
  const path = `publications.${name}`
  const exchange = textOf(settings.exchange)
  const isFanout = live.exchanges.some(
    (each) => each.type === 'fanout' && each.name === qualify(exchange ?? '', 'exchange'),
  )
  const isOpen = exchange !== undefined && settings.routingKey === undefined && !isFanout
  return [
    ...(isOpen
      ? [
          note(
            path,
            'It has no routingKey. Add the keys that you publish with to publications, so that they are proved.',
          ),
        ]
      : []),
    ...(settings.confirm === false
      ? [note(path, 'confirm is false; Warren waits for the confirm of every publish.')]
      : []),
  ]
}

function subscriptionNote(name: string, settings: Settings, { qualify }: RascalParts): RascalNote {
  const queue = qualify(textOf(settings.queue) ?? '', 'queue')
  const { limit } = asSettings(settings.redeliveries)
  const options = [
    ...(typeof settings.prefetch === 'number' ? [`prefetch: ${settings.prefetch}`] : []),
    ...(typeof limit === 'number' ? [`poisonLimit: ${limit}`] : []),
  ]
  const third = options.length === 0 ? '' : `, { ${options.join(', ')} }`
  return note(`subscriptions.${name}`, `warren.consume('${queue}', handler${third})`)
}

/** What a list of recovery strategies is in Warren. Code chooses among them, so nobody can tell for which queue. */
function recoveryNote(name: string, { vhost, publications, live, qualify }: RascalParts): RascalNote {
  const value = asSettings(vhost.config.recovery)[name]
  const steps = (Array.isArray(value) ? value : [value]).filter(isSettings)
  const sentences = steps.map((step) => describeStep(step, (publication) => delayBehind(publication)))
  return note(`recovery.${name}`, sentences.join(' Then: '))

  function delayBehind(publication: string | undefined): number | undefined {
    const settings = publications.find(([each]) => each === publication)?.[1]
    if (settings === undefined) return undefined
    const queue = textOf(settings.queue)
    const exchange = qualify(textOf(settings.exchange) ?? '', 'exchange')
    const reached = queue === undefined ? live.bindings.filter(({ source }) => source === exchange) : []
    const names =
      queue === undefined ? reached.map(({ destination }) => destination) : [qualify(queue, 'queue')]
    const delays = live.queues
      .filter((each) => names.includes(each.name))
      .map((each) => each.arguments['x-message-ttl'])
    const [only] = delays
    return delays.length === 1 && typeof only === 'number' ? only : undefined
  }
}

function describeStep(
  step: Settings,
  delayBehind: (publication: string | undefined) => number | undefined,
): string {
  const { strategy, defer, attempts, immediateNack, requeue, publication } = step
  const deferMs = typeof defer === 'number' ? defer : 0
  if (strategy === 'nack' || strategy === 'ack') {
    // A release of rascal nacks for both; what the author of a config meant by `ack` is to be done with it.
    if (strategy === 'ack') return 'return from the handler: the message is done.'
    return requeue === true
      ? 'return retry(): it comes back after its delay, not immediately.'
      : "return reject('…'): it is parked in the dead-letter queue."
  }
  if (strategy === 'republish' && immediateNack === true)
    return "return reject('…'): it is parked immediately, with its error."
  if (strategy === 'republish') return retryWords(deferMs, attempts)
  if (strategy !== 'forward') return `Warren has nothing like the strategy "${String(strategy)}".`
  const delayMs = delayBehind(textOf(publication))
  if (delayMs !== undefined) return retryWords(deferMs + delayMs, attempts)
  return `publish to "${String(publication)}" in the handler, and return.`
}

function retryWords(delayMs: number, attempts: unknown): string {
  const delay = formatDuration(Math.max(delayMs, 1_000))
  const most = typeof attempts === 'number' ? `, maxAttempts: ${attempts + 1}` : ''
  return `throw, and declare retry: { delays: ['${delay}']${most} } on the queue.`
}
