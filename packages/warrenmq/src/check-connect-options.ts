import type { TlsOptions } from './broker/amqp/open-socket.ts'
import type { SessionOptions } from './broker/amqp/session.ts'
import type { BackoffOptions, ConnectOptions } from './connect-options.ts'
import { endingSignals } from './consumer/run/on-signals.ts'
import { InvalidArgumentError } from './errors.ts'
import { parseDuration } from './message/duration.ts'
import { readTimes } from './message/read-times.ts'
import { refuseChoice } from './message/refuse-choice.ts'
import { refuseNumber } from './message/refuse-number.ts'
import { type OptionNames, refuseUnknown } from './message/refuse-unknown.ts'
import type { MessageDeclarations } from './topology/message-declaration.ts'

const connectOptions: OptionNames<ConnectOptions> = {
  topology: true,
  managementUrl: true,
  closeOn: true,
  closeDeadline: true,
  tracing: true,
  backoff: true,
  waitForBroker: true,
  waitForBrokerMs: true,
  name: true,
  heartbeatSeconds: true,
  frameMax: true,
  channelMax: true,
  connectTimeout: true,
  connectTimeoutMs: true,
  replyTimeout: true,
  replyTimeoutMs: true,
  tls: true,
  mechanism: true,
  maxHeaderBytes: true,
  maxBodyBytes: true,
}

const numbers = [
  ...(['waitForBrokerMs', 'connectTimeoutMs', 'replyTimeoutMs', 'heartbeatSeconds'] as const),
  ...(['frameMax', 'channelMax', 'maxHeaderBytes', 'maxBodyBytes'] as const),
]

const backoffOptions: OptionNames<BackoffOptions> = { initial: true, max: true, initialMs: true, maxMs: true }

const tlsOptions: OptionNames<TlsOptions> = {
  ca: true,
  cert: true,
  key: true,
  pfx: true,
  passphrase: true,
  servername: true,
  rejectUnauthorized: true,
  checkServerIdentity: true,
  minVersion: true,
}

/** Refuses options of `connect()` that nobody reads, and values that would fail when a signal comes. */
export function checkConnectOptions(options: ConnectOptions<string>): void {
  refuseUnknown('connect()', options, connectOptions)
  if (options.backoff !== undefined) refuseUnknown('backoff of connect()', options.backoff, backoffOptions)
  if (options.tls !== undefined) refuseUnknown('tls of connect()', options.tls, tlsOptions)
  for (const name of numbers) refuseNumber(`${name} of connect()`, options[name])
  for (const name of ['initialMs', 'maxMs'] as const)
    refuseNumber(`${name} of backoff`, options.backoff?.[name])
  if (options.closeOn !== undefined) checkSignals(options.closeOn)
  if (options.closeDeadline !== undefined) parseDuration(options.closeDeadline)
  const { managementUrl } = options as { managementUrl?: unknown }
  if (managementUrl !== undefined && typeof managementUrl !== 'string')
    throw new InvalidArgumentError(`managementUrl is ${String(managementUrl)}; it must be text.`)
}

/** The same options with every time in milliseconds, as a session takes them. */
export function readConnectTimes<QueueName extends string, Messages extends MessageDeclarations, Routed>(
  options: ConnectOptions<QueueName, Messages, Routed>,
): Omit<
  ConnectOptions<QueueName, Messages, Routed>,
  'waitForBroker' | 'connectTimeout' | 'replyTimeout' | 'backoff'
> &
  Pick<SessionOptions, 'backoff'> {
  const { backoff, ...rest } = readTimes('connect()', options, [
    'waitForBroker',
    'connectTimeout',
    'replyTimeout',
  ])
  if (backoff === undefined) return rest
  return { ...rest, backoff: readTimes('backoff of connect()', backoff, ['initial', 'max']) }
}

function checkSignals(closeOn: unknown): void {
  if (!Array.isArray(closeOn))
    throw new InvalidArgumentError(`closeOn is ${String(closeOn)}; it must be a list, such as ['SIGTERM'].`)
  for (const signal of closeOn) refuseChoice('A signal of closeOn', signal ?? null, endingSignals)
}

/** One URL or more, each a text. */
export function checkUrls(url: unknown): void {
  const urls: readonly unknown[] = Array.isArray(url) ? url : [url]
  if (urls.length > 0 && urls.every((each) => typeof each === 'string')) return
  throw new InvalidArgumentError(
    "connect() got no URL. Pass it first, as text: connect('amqp://user:password@host:5672/vhost', options).",
  )
}
