import type { DiscoveryService } from '@nestjs/core'
import type { Consumption } from './consume.ts'

/** A provider or controller of the application, as Nest holds it. */
export type Host = ReturnType<DiscoveryService['getProviders']>[number]

/** A method that handles messages, and whose it is. */
export interface FoundMethod {
  readonly host: Host
  readonly methodName: string
  /** As its class has it, with its decorators. */
  // biome-ignore lint/suspicious/noExplicitAny: a method takes what its parameter decorators say.
  readonly method: (...args: any[]) => unknown
}

/** One consumer of the application: a method for all messages of a queue, or one for each message by name. */
export type FoundConsumer = Consumption &
  (
    | { readonly method: FoundMethod; readonly methods?: undefined }
    | { readonly method?: undefined; readonly methods: ReadonlyMap<string, FoundMethod> }
  )

/** How errors and logs name a method. */
export function nameOf({ host, methodName }: FoundMethod): string {
  return `${host.name}.${methodName}()`
}

/** How logs name a consumer. */
export function titleOf({ method, methods }: FoundConsumer): string {
  if (method) return nameOf(method)
  return [...new Set([...methods.values()].map(({ host }) => String(host.name)))].join(', ')
}
