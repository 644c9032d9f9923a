import type { DiscoveryService, MetadataScanner } from '@nestjs/core'
import { InvalidArgumentError } from 'warrenmq'
import { type Consumption, consumptionOf } from './consume.ts'

/** A provider or controller of the application, as Nest holds it. */
export type Host = ReturnType<DiscoveryService['getProviders']>[number]

/** A method that consumes a queue, and whose it is. */
export interface FoundConsumer extends Consumption {
  readonly host: Host
  readonly methodName: string
}

/** All methods of the application that `@Consume` decorates. */
export function findConsumers(
  discovery: DiscoveryService,
  scanner: MetadataScanner,
): readonly FoundConsumer[] {
  const hosts = [...discovery.getProviders(), ...discovery.getControllers()]
  // An alias (`useExisting`) leads to a provider that is in the list by itself.
  const found = hosts.filter(({ isAlias }) => !isAlias).flatMap((host) => consumersOf(host, scanner))
  refuseTwoForOne(found)
  return found
}

function consumersOf(host: Host, scanner: MetadataScanner): readonly FoundConsumer[] {
  const prototype = prototypeOf(host)
  if (!prototype) return []
  return scanner.getAllMethodNames(prototype).flatMap((methodName) => {
    const consumption = consumptionOf(prototype[methodName] as object)
    return consumption ? [{ queue: consumption.queue, options: consumption.options, host, methodName }] : []
  })
}

/** Of a class that Nest instantiates, or of what a factory made: a decorated class may come from either. */
function prototypeOf({ metatype, instance, inject }: Host): Record<string, unknown> | undefined {
  const made = inject ? instance : undefined
  const prototype = made ? Object.getPrototypeOf(made) : metatype?.prototype
  return prototype && prototype !== Object.prototype ? prototype : undefined
}

/** Two methods would each get a share of the messages, by chance, and neither would see the others. */
function refuseTwoForOne(found: readonly FoundConsumer[]): void {
  const byQueue = new Map<string, FoundConsumer>()
  for (const consumer of found) {
    const other = byQueue.get(consumer.queue)
    if (other)
      throw new InvalidArgumentError(
        `${nameOf(other)} and ${nameOf(consumer)} both consume the queue "${consumer.queue}", so each message would ` +
          'reach one of them by chance. Bind a second queue, or handle the messages in one method.',
      )
    byQueue.set(consumer.queue, consumer)
  }
}

/** How errors and logs name a consumer. */
export function nameOf({ host, methodName }: Pick<FoundConsumer, 'host' | 'methodName'>): string {
  return `${host.name}.${methodName}()`
}
