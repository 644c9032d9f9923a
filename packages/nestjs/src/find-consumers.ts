import { isDeepStrictEqual } from 'node:util'
import type { DiscoveryService, MetadataScanner } from '@nestjs/core'
import { InvalidArgumentError } from 'warrenmq'
import { type Consumption, consumptionOf } from './consume.ts'
import { type FoundConsumer, type FoundMethod, type Host, nameOf } from './found-consumer.ts'
import { messageHandledBy } from './on.ts'

/** Where methods are found, and how a message finds its queue where no class names one. */
export interface Searched {
  readonly discovery: DiscoveryService
  readonly scanner: MetadataScanner
  /** The queues that say they handle a message. */
  readonly queuesHandling: (message: string) => readonly string[]
}

/** All consumers of the application: methods that `@Consume` decorates, and those with `@On` together for each queue. */
export function findConsumers({ discovery, scanner, queuesHandling }: Searched): readonly FoundConsumer[] {
  const hosts = [...discovery.getProviders(), ...discovery.getControllers()]
  // An alias (`useExisting`) leads to a provider that is in the list by itself.
  const classes = hosts.filter(({ isAlias }) => !isAlias).map((host) => readClass(host, scanner))
  const byQueue = new Map<string, FoundConsumer>()
  for (const { whole, named } of classes) {
    for (const consumer of whole) addWhole(byQueue, consumer)
    for (const each of named) addNamed(byQueue, { ...findQueue(each, queuesHandling), ...each })
  }
  return [...byQueue.values()]
}

interface NamedMethod {
  readonly message: string
  readonly method: FoundMethod
  /** Of the class. */
  readonly consumption: Consumption | undefined
}

interface ReadClass {
  readonly whole: readonly (Consumption & { readonly method: FoundMethod })[]
  readonly named: readonly NamedMethod[]
}

function readClass(host: Host, scanner: MetadataScanner): ReadClass {
  const prototype = prototypeOf(host)
  if (!prototype) return { whole: [], named: [] }
  const ofClass = consumptionOf(prototype.constructor as object)
  const methods = scanner.getAllMethodNames(prototype).map((methodName) => {
    const method = prototype[methodName] as FoundMethod['method']
    return {
      method: { host, methodName, method },
      consumption: consumptionOf(method),
      message: messageHandledBy(method),
    }
  })
  const named = methods.flatMap(({ method, message }) =>
    message === undefined ? [] : [{ method, message, consumption: ofClass }],
  )
  if (ofClass && named.length === 0)
    throw new InvalidArgumentError(
      `${host.name} consumes the queue "${ofClass.queue}", and no method of it handles a message. ` +
        "Decorate methods with @On('<message>'), or a single one with @Consume.",
    )
  const whole = methods.flatMap(({ method, consumption }) =>
    consumption ? [{ queue: consumption.queue, options: consumption.options, method }] : [],
  )
  return { whole, named }
}

/** Of a class that Nest instantiates, or of what a factory made: a decorated class may come from either. */
function prototypeOf({ metatype, instance, inject }: Host): Record<string, unknown> | undefined {
  const made = inject ? instance : undefined
  const prototype = made ? Object.getPrototypeOf(made) : metatype?.prototype
  return prototype && prototype !== Object.prototype ? prototype : undefined
}

function findQueue(
  { message, method, consumption }: NamedMethod,
  queuesHandling: Searched['queuesHandling'],
): Consumption {
  if (consumption) return consumption
  const queues = queuesHandling(message)
  if (queues.length === 1) return { queue: queues[0]!, options: {} }
  const which =
    queues.length === 0
      ? 'and no queue of the topology has it in its "handles"'
      : `and several queues handle it: ${queues.join(', ')}`
  throw new InvalidArgumentError(
    `${nameOf(method)} handles ${message}, ${which}. Name the queue with @Consume on the class.`,
  )
}

/** Two methods would each get a share of the messages, by chance, and neither would see the others. */
function addWhole(
  byQueue: Map<string, FoundConsumer>,
  consumer: Consumption & { readonly method: FoundMethod },
): void {
  const other = anyMethodOf(byQueue.get(consumer.queue))
  if (other) throw twoForOne(consumer.queue, other, consumer.method)
  byQueue.set(consumer.queue, consumer)
}

/** Handlers of one queue may stand in several classes; together they are one consumer. */
function addNamed(byQueue: Map<string, FoundConsumer>, added: Consumption & NamedMethod): void {
  const { queue, message, method, options } = added
  const known = byQueue.get(queue)
  if (known?.method) throw twoForOne(queue, known.method, method)
  const other = known?.methods.get(message)
  if (other)
    throw new InvalidArgumentError(
      `${nameOf(other)} and ${nameOf(method)} both handle ${message} in the queue "${queue}". Handle it in one method.`,
    )
  byQueue.set(queue, {
    queue,
    options: joinOptions(queue, known?.options ?? {}, options),
    methods: new Map([...(known?.methods ?? []), [message, method]]),
  })
}

function joinOptions(
  queue: string,
  one: Consumption['options'],
  other: Consumption['options'],
): Consumption['options'] {
  if (Object.keys(one).length === 0 || isDeepStrictEqual(one, other)) return other
  if (Object.keys(other).length === 0) return one
  throw new InvalidArgumentError(
    `Two classes consume the queue "${queue}" with different options. It has one consumer, so give the options once.`,
  )
}

function anyMethodOf(consumer: FoundConsumer | undefined): FoundMethod | undefined {
  return consumer?.method ?? consumer?.methods?.values().next().value
}

function twoForOne(queue: string, one: FoundMethod, other: FoundMethod): InvalidArgumentError {
  return new InvalidArgumentError(
    `${nameOf(one)} and ${nameOf(other)} both consume the queue "${queue}", so each message would ` +
      'reach one of them by chance. Bind a second queue, or handle the messages in one method.',
  )
}
