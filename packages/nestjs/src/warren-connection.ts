import {
  connect,
  defineTopology,
  type MessageDeclarations,
  type NoMessages,
  type TopologyDeclaration,
  type Warren,
} from 'warrenmq'
import type { WarrenModuleOptions } from './warren-module-options.ts'

/** The application's connection, and the token it is injected by. It has all that `connect()` gives. */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: nobody makes one; the class is a name for Nest to inject by.
// biome-ignore lint/correctness/noUnusedVariables: the interface beside it must have the same parameters.
export abstract class WarrenConnection<Messages extends MessageDeclarations = NoMessages> {}
export interface WarrenConnection<Messages extends MessageDeclarations = NoMessages>
  extends Warren<string, Messages> {}

/** What the embedded broker of a test has instead of the configured one. */
export interface BrokerAddress {
  readonly url: string
  readonly managementUrl: string
}

/** Connects, and declares what is missing, so that whatever is injected with the connection can rely on its queues. */
export async function openConnection(
  options: WarrenModuleOptions,
  topology: TopologyDeclaration<string>,
  instead?: BrokerAddress,
): Promise<Warren<string>> {
  const { url, apply = true, consumers: _, topology: __, ...rest } = options
  const address = instead ?? { url }
  const connectOptions = { ...rest, topology: defineTopology(topology) }
  const warren = await connect(
    address.url,
    instead ? { ...connectOptions, managementUrl: instead.managementUrl } : connectOptions,
  )
  try {
    if (apply !== false) await warren.apply(apply === true ? {} : apply)
  } catch (error) {
    // Nobody else knows of the connection yet, and it would keep the process from ending.
    await warren.close()
    throw error
  }
  return warren
}
