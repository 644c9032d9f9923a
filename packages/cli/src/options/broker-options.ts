import type { Command } from 'commander'
import { locateManagement, type ManagementPlace, parseAmqpUrl } from 'warrenmq/operations'
import type { CommandInput } from '../command.ts'

/** `--url`, `--management-url` and `--vhost`, for every command that talks to a broker. */
export function addBrokerOptions(command: Command): void {
  command
    .option('--url <url>', 'the broker (also AMQP_URL; default: amqp://localhost)')
    .option(
      '--management-url <url>',
      'its HTTP API (also MANAGEMENT_URL; default: the host and user of --url, port 15672)',
    )
    .option('--vhost <name>', 'the vhost (default: the path of --url, or /)')
}

/** Where the broker is, and which part of it is meant. */
export interface BrokerAddress extends ManagementPlace {
  readonly url: string
  /** Nobody said where the broker is. */
  readonly isUrlGuessed: boolean
  readonly vhost: string
}

export function readBrokerOptions({ options, env }: Pick<CommandInput, 'options' | 'env'>): BrokerAddress {
  const said = textOption(options.url) ?? textOption(env.AMQP_URL)
  const given = said ?? 'amqp://localhost'
  const vhost = textOption(options.vhost) ?? parseAmqpUrl(given)[0]!.vhost
  const url = textOption(options.vhost) === undefined ? given : withVhost(given, vhost)
  const managementUrl = textOption(options.managementUrl) ?? textOption(env.MANAGEMENT_URL)
  return { url, isUrlGuessed: said === undefined, ...locateManagement(given, managementUrl), vhost }
}

// An empty variable in a compose file means that nobody said anything.
function textOption(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

function withVhost(url: string, vhost: string): string {
  const [, server = url, query = ''] = /^(amqps?:\/\/[^/?#]*)[^?#]*(.*)$/.exec(url) ?? []
  return `${server}/${encodeURIComponent(vhost)}${query}`
}
