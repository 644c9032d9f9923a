import {
  formatDuration,
  type LiveQueue,
  type LiveTopology,
  parseBrokerVersion,
  type TopologyDeclaration,
} from 'warrenmq/operations'
import { readRascalBindings } from './rascal-bindings.ts'
import { type RascalNote, rascalNotes } from './rascal-notes.ts'
import {
  asSettings,
  chooseVhost,
  namedMembers,
  type RascalVhost,
  type Settings,
  textOf,
  withDefaults,
} from './rascal-vhost.ts'

/** What a rascal config declares, and what it says that is on no broker. */
export interface RascalReading {
  readonly vhost: string
  readonly live: LiveTopology
  readonly publications: NonNullable<TopologyDeclaration['publications']>
  /** What has no place in a topology, with what to do about it. */
  readonly notes: readonly RascalNote[]
}

export function readRascal(
  value: unknown,
  { file, vhost }: { file: string; vhost?: string | undefined },
): RascalReading {
  const chosen = chooseVhost(file, value, vhost)
  const queues = settledMembers(chosen, 'queues')
  const unique = new Map(queues.map(([name, { replyTo }]) => [name, textOf(replyTo)]))
  const qualify = (name: string, kind: 'exchange' | 'queue') =>
    qualified(name, chosen.namespace, kind === 'queue' ? unique.get(name) : undefined)
  const declarable = queues.filter(([, settings]) => !isOfOneConnection(settings))
  const names = new Set(declarable.map(([name]) => qualify(name, 'queue')))
  const live: LiveTopology = {
    brokerVersion: parseBrokerVersion('3.10.0'),
    exchanges: settledMembers(chosen, 'exchanges')
      .filter(([name]) => name !== '')
      .map(([name, settings]) => readExchange(qualify(name, 'exchange'), settings)),
    queues: declarable.map(([name, settings]) =>
      readQueue(qualify(name, 'queue'), settings, chosen.namespace),
    ),
    bindings: readRascalBindings(chosen, qualify).filter(
      ({ destination, destinationType }) => destinationType === 'exchange' || names.has(destination),
    ),
    policies: [],
  }
  const publications = settledMembers(chosen, 'publications')
  return {
    vhost: chosen.name,
    live,
    publications: publications.flatMap(([, settings]) => readPublication(settings, live, qualify)),
    notes: rascalNotes({
      vhost: chosen,
      live,
      queues,
      publications,
      subscriptions: settledMembers(chosen, 'subscriptions'),
      qualify,
    }),
  }
}

/** Publications and subscriptions may also stand outside of their vhost, and name it. */
function settledMembers(
  vhost: RascalVhost,
  kind: 'exchanges' | 'queues' | 'publications' | 'subscriptions',
): readonly (readonly [string, Settings])[] {
  const outside =
    kind === 'publications' || kind === 'subscriptions'
      ? namedMembers(vhost.config[kind]).filter(([, { vhost: name = '/' }]) => name === vhost.name)
      : []
  return [...namedMembers(vhost.settings[kind]), ...outside].map(
    ([name, settings]) => [name, withDefaults(settings, vhost.defaultsOf(kind))] as const,
  )
}

/** Nothing of a queue that ends with its connection can be declared ahead. */
function isOfOneConnection({ options, replyTo }: Settings): boolean {
  return asSettings(options).exclusive === true || replyTo === true
}

function qualified(name: string, namespace: string | undefined, unique: string | undefined): string {
  if (name === '') return name
  return [namespace, name, unique].filter((part) => part !== undefined).join(':')
}

function readExchange(name: string, settings: Settings): LiveTopology['exchanges'][number] {
  const { durable, autoDelete, internal, alternateExchange, arguments: args } = asSettings(settings.options)
  return {
    name,
    type: textOf(settings.type) ?? 'topic',
    durable: durable !== false,
    autoDelete: autoDelete === true,
    internal: internal === true,
    arguments: said({ ...asSettings(args), 'alternate-exchange': alternateExchange }),
  }
}

function readQueue(name: string, settings: Settings, namespace: string | undefined): LiveQueue {
  const options = asSettings(settings.options)
  const { 'x-queue-type': type = 'classic', ...args } = asSettings(options.arguments)
  const deadLetterExchange = args['x-dead-letter-exchange']
  return {
    name,
    type: type as LiveQueue['type'],
    durable: options.durable !== false,
    autoDelete: options.autoDelete === true,
    arguments: said({
      ...args,
      // The only argument that rascal puts the namespace before; the option of the same name it leaves alone.
      'x-dead-letter-exchange':
        options.deadLetterExchange ??
        (typeof deadLetterExchange === 'string'
          ? qualified(deadLetterExchange, namespace, undefined)
          : undefined),
      ...mapOptions(options),
    }),
  }
}

/** The options that amqplib makes arguments of. */
const argumentNames = {
  expires: 'x-expires',
  messageTtl: 'x-message-ttl',
  deadLetterRoutingKey: 'x-dead-letter-routing-key',
  maxLength: 'x-max-length',
  maxPriority: 'x-max-priority',
  overflow: 'x-overflow',
  queueMode: 'x-queue-mode',
} as const

function mapOptions(options: Settings): Settings {
  return Object.fromEntries(
    Object.entries(argumentNames)
      .filter(([option]) => options[option] !== undefined)
      .map(([option, argument]) => [argument, options[option]]),
  )
}

function said(args: Settings): LiveQueue['arguments'] {
  return Object.fromEntries(
    Object.entries(args).filter(([, value]) => value !== undefined),
  ) as LiveQueue['arguments']
}

/** Of a publication to an exchange that routes by key, only one that names its key can be proved to arrive. */
function readPublication(
  settings: Settings,
  live: LiveTopology,
  qualify: (name: string, kind: 'exchange' | 'queue') => string,
): RascalReading['publications'] {
  const ttl = Number(asSettings(settings.options).expiration ?? Number.NaN)
  const also = Number.isNaN(ttl) ? {} : { expiration: formatDuration(ttl) }
  const queue = textOf(settings.queue)
  if (queue !== undefined) return [{ exchange: '', key: qualify(queue, 'queue'), ...also }]
  const exchange = qualify(textOf(settings.exchange) ?? '', 'exchange')
  const key = textOf(settings.routingKey)
  const isFanout = live.exchanges.some(({ name, type }) => name === exchange && type === 'fanout')
  if (key === undefined && !isFanout) return []
  return [{ exchange, ...(key === undefined ? {} : { key }), ...also }]
}
