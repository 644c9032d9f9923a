import type { NodePorts } from './node-runner.ts'

export interface NodeSettings {
  readonly username: string
  readonly password: string
  readonly plugins: readonly string[]
  /** Lines for rabbitmq.conf, after ours. */
  readonly config: Readonly<Record<string, string | number | boolean>>
  readonly hasTls: boolean
  /** How long a dead letter waits for its target to confirm it until it is sent again. */
  readonly deadLetterResendMs?: number | undefined
}

export interface ConfigPlace {
  /** The address to listen on: loopback, or every address inside a container. */
  readonly address: string
  readonly ports: NodePorts
  /** The node's directory, as the broker sees it. */
  readonly directory: string
}

/** rabbitmq.conf of a private node. */
export function renderNodeConfig(settings: NodeSettings, place: ConfigPlace): string {
  const lines: Record<string, string | number | boolean> = {
    'listeners.tcp.1': `${place.address}:${place.ports.amqp}`,
    'management.tcp.ip': place.address,
    'management.tcp.port': place.ports.management,
    default_user: settings.username,
    default_pass: settings.password,
    'loopback_users.guest': false,
    'log.console': true,
    'log.console.level': 'warning',
    // Counters in the HTTP API lag by this much; the default of five seconds makes slow tests.
    collect_statistics_interval: 1000,
    'disk_free_limit.absolute': '50MB',
    ...(settings.hasTls ? tlsLines(place) : {}),
    ...settings.config,
  }
  return Object.entries(lines)
    .map(([key, value]) => `${key} = ${value}\n`)
    .join('')
}

/** The file enabled_plugins: an Erlang list of atoms. */
export function renderEnabledPlugins(settings: NodeSettings): string {
  const tlsPlugins = settings.hasTls ? ['rabbitmq_auth_mechanism_ssl'] : []
  return `[${[...new Set(['rabbitmq_management', ...tlsPlugins, ...settings.plugins])].join(',')}].\n`
}

/** The file advanced.config: Erlang terms, for what rabbitmq.conf has no key for. */
export function renderAdvancedConfig({ deadLetterResendMs }: NodeSettings): string {
  const settings =
    deadLetterResendMs === undefined
      ? ''
      : `{dead_letter_worker_publisher_confirm_timeout, ${deadLetterResendMs}}`
  return `[{rabbit, [${settings}]}].\n`
}

function tlsLines({ address, ports, directory }: ConfigPlace): Record<string, string | number | boolean> {
  return {
    'listeners.ssl.1': `${address}:${ports.amqps}`,
    'ssl_options.cacertfile': `${directory}/tls/ca.pem`,
    'ssl_options.certfile': `${directory}/tls/server.pem`,
    'ssl_options.keyfile': `${directory}/tls/server.key`,
    // A client certificate is asked for and checked, and a client without one may still use a password.
    'ssl_options.verify': 'verify_peer',
    'ssl_options.fail_if_no_peer_cert': false,
    'auth_mechanisms.1': 'PLAIN',
    'auth_mechanisms.2': 'AMQPLAIN',
    'auth_mechanisms.3': 'EXTERNAL',
    ssl_cert_login_from: 'common_name',
  }
}
