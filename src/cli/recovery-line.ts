import { userInfo } from 'node:os'
import { openSessionPair } from '../broker/amqp/open-session-pair.ts'
import type { Session } from '../broker/amqp/session.ts'
import { type Management, openManagement } from '../broker/management/open-management.ts'
import { compileTopology } from '../topology/compile-topology.ts'
import type { CompiledTopology } from '../topology/compiled-topology.ts'
import { readBrokerOptions } from './broker-options.ts'
import type { CommandInput, ExitCode } from './command.ts'
import { findDeclaration } from './load-config.ts'

/** What the dlq commands need of a broker. */
export interface RecoveryLine {
  readonly consuming: Session
  readonly publishing: Session
  readonly management: Management
  readonly vhost: string
  readonly by: string
  /** The config's own section for `warren recover`. */
  readonly recovery: Readonly<Record<string, unknown>> | undefined
  /** The config's own section for `warren serve`. */
  readonly server: Readonly<Record<string, unknown>> | undefined
  /** The declared topology; undefined where there is no config. Any queue may be worked on without one. */
  readonly topology: CompiledTopology | undefined
}

/** Opens the line for one command and closes it when the command is done. */
export async function withRecoveryLine(
  input: CommandInput,
  work: (line: RecoveryLine) => Promise<ExitCode>,
): Promise<ExitCode> {
  const { url, managementUrl, vhost } = readBrokerOptions(input)
  const withUser = withCredentials(managementUrl, url)
  const { consuming, publishing } = await openSessionPair(
    url,
    { name: 'warren dlq' },
    { name: 'warren dlq publishing' },
  )
  const management = openManagement(withUser)
  try {
    const declaration = await findDeclaration(input.options)
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
    })
  } finally {
    await Promise.all([consuming.close(), publishing.close()])
    management.close()
  }
}

/** A management URL without a user means the user of the broker URL. */
function withCredentials(managementUrl: string, amqpUrl: string): string {
  const management = new URL(managementUrl)
  if (management.username !== '') return managementUrl
  const userInfoPart = /^amqps?:\/\/([^@/]*)@/.exec(amqpUrl)?.[1]
  return userInfoPart === undefined
    ? managementUrl
    : `${management.protocol}//${userInfoPart}@${management.host}${management.pathname}`
}

/** Who is meant to do it: as they say, or as the machine knows them. */
export function operatorName({ options, env }: CommandInput): string {
  if (typeof options.by === 'string') return options.by
  return env.WARREN_OPERATOR ?? userInfo().username
}
