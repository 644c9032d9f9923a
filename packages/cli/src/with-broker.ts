import { userInfo } from 'node:os'
import {
  type Broker,
  type CompiledTopology,
  compileTopology,
  type Management,
  openSessionPair,
  pairManagement,
  type TopologyDeclaration,
} from 'warrenmq/operations'
import type { CommandInput, ExitCode } from './command.ts'
import { findDeclaration } from './config/load-config.ts'
import { readBrokerOptions } from './options/broker-options.ts'

/** What the dlq commands need of a broker. */
export interface CommandBroker extends Broker {
  readonly management: Management
  readonly vhost: string
  readonly by: string
  /** The config's own section for `warren recover`. */
  readonly recovery: Readonly<Record<string, unknown>> | undefined
  /** The config's own section for `warren serve`. */
  readonly server: Readonly<Record<string, unknown>> | undefined
  readonly env: CommandInput['env']
  /** The declared topology; undefined where there is no config. Any queue may be worked on without one. */
  readonly topology: CompiledTopology | undefined
}

export interface WithBrokerOptions {
  /** How long to wait for a broker that is not there yet, by what the config says. @default not at all */
  readonly waitMs?: (declaration: TopologyDeclaration | undefined) => number
  /** How long the broker may take to answer the goodbye at the end. @default as long as any goodbye */
  readonly goodbyeMs?: number
}

const longestConnectMs = 10_000

/** Opens the connection for one command and closes it when the command is done. */
export async function withBroker(
  input: CommandInput,
  work: (broker: CommandBroker) => Promise<ExitCode>,
  { waitMs = () => 0, goodbyeMs }: WithBrokerOptions = {},
): Promise<ExitCode> {
  const { url, vhost, ...place } = readBrokerOptions(input)
  const declaration = await findDeclaration(input.options)
  const waitForBrokerMs = waitMs(declaration)
  // Who waits for a while waits no longer for a broker that takes the connection and says nothing.
  const patience = {
    waitForBrokerMs,
    ...(waitForBrokerMs > 0 && { connectTimeoutMs: Math.min(longestConnectMs, waitForBrokerMs) }),
  }
  const { consuming, publishing } = await openSessionPair(
    url,
    { name: 'warren dlq', ...patience },
    { name: 'warren dlq publishing', ...patience },
  )
  const management = pairManagement(consuming, place)
  try {
    const brokerVersion = consuming.broker.version
    const topology = declaration && compileTopology(declaration, { brokerVersion })
    const recovery = declaration?.recovery
    return await work({
      consuming,
      publishing,
      management,
      vhost,
      by: operatorName(input),
      topology,
      recovery,
      server: declaration?.server,
      env: input.env,
    })
  } finally {
    await Promise.all([consuming.close(goodbyeMs), publishing.close(goodbyeMs)])
    management.close()
  }
}

/** Who is meant to do it: as they say, or as the machine knows them. */
export function operatorName({ options, env }: CommandInput): string {
  if (typeof options.by === 'string') return options.by
  return env.WARREN_OPERATOR ?? userInfo().username
}
