import type { LiveTopology } from 'warrenmq/operations'
import { readRecoveries } from './rascal-recovery.ts'
import { asSettings, namedMembers, type RascalVhost, type Settings, textOf } from './rascal-vhost.ts'

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
    ...subscriptions.flatMap(([name, settings]) => subscriptionNotes(name, settings, parts)),
    ...readRecoveries(parts).map(({ name, says }) => note(`recovery.${name}`, says)),
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
  const options = asSettings(settings.options)
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
    ...['persistent', 'mandatory']
      .filter((option) => options[option] === false)
      .map((option) => note(path, `${option} is false; publish with { ${option}: false } for the same.`)),
  ]
}

function subscriptionNotes(
  name: string,
  settings: Settings,
  { qualify }: RascalParts,
): readonly RascalNote[] {
  const path = `subscriptions.${name}`
  const queue = qualify(textOf(settings.queue) ?? '', 'queue')
  const options = Object.entries(consumerOptions(settings)).filter(([, value]) => value !== undefined)
  const third =
    options.length === 0 ? '' : `, { ${options.map(([key, value]) => `${key}: ${value}`).join(', ')} }`
  return [
    note(path, `warren.consume('${queue}', handler${third})`),
    ...(asSettings(settings.options).noAck === true
      ? [note(path, 'noAck is true; Warren acknowledges a message when its handler has returned.')]
      : []),
  ]
}

/** The options of `consume()` that say the same, as they are written in a program. */
function consumerOptions({ prefetch, redeliveries, contentType, options }: Settings): Settings {
  const { limit } = asSettings(redeliveries)
  const { priority, exclusive, arguments: args } = asSettings(options)
  const { 'x-priority': sent, 'x-stream-offset': offset } = asSettings(args)
  return {
    prefetch: numberOf(prefetch),
    poisonLimit: numberOf(limit),
    priority: numberOf(sent) ?? numberOf(priority),
    exclusive: exclusive === true ? true : undefined,
    decode: contentType === 'application/json' ? "'json'" : undefined,
    streamOffset: typeof offset === 'string' ? `'${offset}'` : numberOf(offset),
  }
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined
}
