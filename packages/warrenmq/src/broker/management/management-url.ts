import { ManagementError } from '../../errors.ts'
import { type Endpoint, parseAmqpUrl } from '../amqp/parse-amqp-url.ts'

export interface ManagementAddress {
  readonly isTls: boolean
  readonly host: string
  readonly port: number
  /** Before `/api`, where the API is served under a prefix; else empty. */
  readonly pathPrefix: string
  readonly username: string
  readonly password: string
}

/** Where to look for the management API of a broker. */
export interface ManagementPlace {
  /** The address of the API, without `/api`. */
  readonly managementUrl: string
  /** It is the usual address, because none was given: the API may be somewhere else, or missing. */
  readonly isManagementGuessed: boolean
}

/**
 * At the URL that was given, as the user of the AMQP URL unless it names another; without a URL, at the usual address.
 * @example
 * ```ts
 * const place = locateManagement('amqp://localhost', undefined)
 * ```
 */
export function locateManagement(amqpUrl: string, said: string | undefined): ManagementPlace {
  // An empty variable in a compose file means that nobody said anything.
  if (said === undefined || said === '')
    return { managementUrl: deriveManagementUrl(amqpUrl), isManagementGuessed: true }
  return { managementUrl: withLogin(said, amqpUrl), isManagementGuessed: false }
}

function withLogin(managementUrl: string, amqpUrl: string): string {
  const url = parseUrl(managementUrl)
  if (url?.username !== '') return managementUrl
  return `${url.protocol}//${loginOf(parseAmqpUrl(amqpUrl)[0]!)}${url.host}${url.pathname}`
}

function loginOf({ username, password }: Pick<Endpoint, 'username' | 'password'>): string {
  return `${encodeURIComponent(username)}:${encodeURIComponent(password.reveal())}@`
}

/**
 * The usual address of the management API of a broker: the same host and credentials, port 15672, or 15671
 * with TLS. A guess; it is wrong where the API was moved.
 */
export function deriveManagementUrl(amqpUrl: string): string {
  // Of several hosts the first is asked; they are nodes of one cluster.
  const endpoint = parseAmqpUrl(amqpUrl)[0]!
  const { host, isTls } = endpoint
  const credentials = loginOf(endpoint)
  const shownHost = host.includes(':') ? `[${host}]` : host
  return isTls ? `https://${credentials}${shownHost}:15671` : `http://${credentials}${shownHost}:15672`
}

/** Takes a management URL apart. Errors never repeat it, because it may hold a password. */
export function parseManagementUrl(managementUrl: string): ManagementAddress {
  const url = parseUrl(managementUrl)
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw badUrl(
      'The management URL must begin with http:// or https://, as in http://user:password@host:15672. ' +
        'It comes from --management-url, MANAGEMENT_URL, or managementUrl in connect().',
    )
  }
  const isTls = url.protocol === 'https:'
  return {
    isTls,
    // Brackets belong to the URL, not to the address.
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? (isTls ? 443 : 80) : Number(url.port),
    // People copy the address with /api or with a slash at its end.
    pathPrefix: url.pathname.replace(/\/+$/, '').replace(/\/api$/, ''),
    // RabbitMQ's own default, as for amqp:// without credentials.
    username: url.username === '' ? 'guest' : decode(url.username),
    password: url.username === '' ? 'guest' : decode(url.password),
  }
}

function parseUrl(text: string): URL | undefined {
  // The error of `new URL` carries its input, and with it the password, so it is not passed on.
  return URL.canParse(text) ? new URL(text) : undefined
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw badUrl(
      'The credentials in the management URL are not percent-encoded: write % as %25, @ as %40, / as %2F.',
    )
  }
}

function badUrl(message: string): ManagementError {
  return new ManagementError({ code: 'MANAGEMENT_BAD_URL', message })
}
