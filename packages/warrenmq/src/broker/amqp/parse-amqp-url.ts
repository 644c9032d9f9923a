import { ConnectionError } from '../../errors.ts'
import { hideSecret, type Secret } from './secret.ts'

/** One place to connect to, and as whom. */
export interface Endpoint {
  /** A name or an address. */
  readonly host: string
  /** The TCP port; 5672 or, with TLS, 5671 unless the URL has another. */
  readonly port: number
  /** The URL began with `amqps:`. */
  readonly isTls: boolean
  /** The vhost to open, decoded. */
  readonly vhost: string
  /** Who logs in. */
  readonly username: string
  /** Out of sight of logs and inspection; `reveal()` gives it to the handshake alone. */
  readonly password: Secret
  /** From the URL; the broker may lower it. */
  readonly heartbeatSeconds?: number
  /** The largest frame to agree to, in bytes, from the URL. */
  readonly frameMax?: number
  /** The highest channel number to agree to, from the URL. */
  readonly channelMax?: number
  /** How long to wait for TCP, TLS and the handshake together, in milliseconds, from the URL. */
  readonly connectTimeoutMs?: number
}

/**
 * Reads `amqp://user:password@host:port/vhost?heartbeat=30`. Several hosts may be given with commas
 * (`amqp://user:password@a,b:5673/vhost`), each is an endpoint.
 * @example
 * ```ts
 * const [{ host, port }] = parseAmqpUrl('amqp://localhost/my-vhost') as [Endpoint]
 * ```
 */
export function parseAmqpUrl(url: string): readonly Endpoint[] {
  const match = /^(amqps?):\/\/(?:([^@/]*)@)?([^/?#]*)(?:\/([^?#]*))?(?:\?([^#]*))?$/.exec(url)
  if (!match) throw badUrl('it does not have the form amqp://user:password@host:port/vhost')
  const [, scheme, userInfo = '', hosts = '', path, query = ''] = match
  // A password with a bare @, / or ? spills over into what is taken for the host, the vhost or an option, and so
  // into errors.
  if (`${hosts}${path}${query}`.includes('@'))
    throw badUrl(
      'special characters in a user name, password or vhost must be percent-encoded: write @ as %40, / as %2F, : as %3A, ? as %3F',
    )
  const isTls = scheme === 'amqps'
  const [username, password] = credentialsOf(userInfo)
  const shared = {
    isTls,
    // By the letter of the AMQP URI specification `amqp://host/` is the vhost with the empty name, and clients
    // differ. Who writes the slash mostly means the default vhost, so it is "/" here, with and without it.
    vhost: path === undefined || path === '' ? '/' : decode(path, 'vhost'),
    username,
    password: hideSecret(password),
    ...parseQuery(query),
  }
  return hosts.split(',').map((host) => ({ ...parseHost(host, isTls), ...shared }))
}

/** What a person may read: where to, never as whom with which password. */
export function describeEndpoint({ host, port, isTls, vhost }: Endpoint): string {
  const shownHost = host.includes(':') ? `[${host}]` : host
  return `${isTls ? 'amqps' : 'amqp'}://${shownHost}:${port}/${vhost === '/' ? '' : encodeURIComponent(vhost)}`
}

function credentialsOf(userInfo: string): [string, string] {
  if (userInfo === '') return ['guest', 'guest']
  const colon = userInfo.indexOf(':')
  if (colon === -1) return [decode(userInfo, 'user name'), '']
  return [decode(userInfo.slice(0, colon), 'user name'), decode(userInfo.slice(colon + 1), 'password')]
}

function parseHost(text: string, isTls: boolean): { host: string; port: number } {
  const match = /^(\[[^\]]+\]|[^:]*)(?::(\d*))?$/.exec(text)
  if (!match) throw badUrl('the host part is not a host with an optional port')
  const port = match[2] ? Number(match[2]) : isTls ? 5671 : 5672
  if (port < 1 || port > 65535) throw badUrl(`port ${match[2]} is not between 1 and 65535`)
  const host = match[1]!.replace(/^\[|\]$/g, '')
  return { host: host === '' ? 'localhost' : decode(host, 'host'), port }
}

const numberOptions = {
  heartbeat: ['heartbeatSeconds', 65_535],
  frame_max: ['frameMax', 0x7fffffff],
  channel_max: ['channelMax', 65_535],
  connection_timeout: ['connectTimeoutMs', 0x7fffffff],
} as const

function parseQuery(
  query: string,
): Partial<Record<(typeof numberOptions)[keyof typeof numberOptions][0], number>> {
  const options: Partial<Record<string, number>> = {}
  for (const [name, text] of new URLSearchParams(query)) {
    if (!(name in numberOptions)) {
      throw badUrl(
        `it has the unknown option "${name}"; known options are ${Object.keys(numberOptions).join(', ')}`,
      )
    }
    const [option, max] = numberOptions[name as keyof typeof numberOptions]
    if (!/^\d+$/.test(text) || Number(text) > max)
      throw badUrl(`its option ${name} is not a whole number up to ${max}`)
    options[option] = Number(text)
  }
  return options
}

function decode(text: string, what: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw badUrl(`its ${what} is not percent-encoded correctly`)
  }
}

// The URL itself is never repeated: it may hold the password.
function badUrl(why: string): ConnectionError {
  return new ConnectionError({
    code: 'CONNECTION_BAD_URL',
    isFinal: true,
    message: `The broker's URL cannot be used: ${why}. Example: amqp://user:password@localhost:5672/my-vhost`,
  })
}
