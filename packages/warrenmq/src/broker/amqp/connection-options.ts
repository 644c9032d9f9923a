import { InvalidArgumentError } from '../../errors.ts'
import type { Mechanism } from './authenticate.ts'
import type { TlsOptions } from './open-socket.ts'

/** How a connection is made. */
export interface ConnectionOptions {
  /**
   * Shown in RabbitMQ's list of connections. @default 'warren'
   * @example { name: 'billing' }
   */
  readonly name?: string
  /**
   * Both sides send a sign of life in this interval; more than two without one end the connection. 0 turns it off. @default 30
   * @example { heartbeatSeconds: 10 }
   */
  readonly heartbeatSeconds?: number
  /**
   * Largest frame, in bytes. @default 131072
   * @example { frameMax: 65_536 }
   */
  readonly frameMax?: number
  /**
   * Channels of one connection. @default 2047
   * @example { channelMax: 128 }
   */
  readonly channelMax?: number
  /**
   * For the socket, TLS and the handshake together, in milliseconds. @default 10000
   * @example { connectTimeoutMs: 5_000 }
   */
  readonly connectTimeoutMs?: number
  /**
   * How long a declare, bind or the like may take, in milliseconds. @default 60000
   * @example { replyTimeoutMs: 20_000 }
   */
  readonly replyTimeoutMs?: number
  /**
   * Certificates and checks of `amqps://`.
   * @example { tls: { ca: readFileSync('ca.pem'), servername: 'rabbit.example' } }
   */
  readonly tls?: TlsOptions
  /**
   * EXTERNAL (a client certificate) is used only when named here. @default PLAIN, else AMQPLAIN
   * @example { mechanism: 'EXTERNAL' }
   */
  readonly mechanism?: Mechanism
  /**
   * Header frames of the broker may exceed frameMax; this is the limit, in bytes. A larger one ends the connection. @default 16777216
   * @example { maxHeaderBytes: 1_048_576 }
   */
  readonly maxHeaderBytes?: number
  /**
   * Largest message body that is read, in bytes. A larger one ends the connection. @default 536870912
   * @example { maxBodyBytes: 33_554_432 }
   */
  readonly maxBodyBytes?: number
}

/** Options with their defaults; what the URL says stands between the two. */
export type SettledOptions = Required<Omit<ConnectionOptions, 'tls' | 'mechanism'>> &
  Pick<ConnectionOptions, 'tls' | 'mechanism'>

const defaults = {
  name: 'warren',
  heartbeatSeconds: 30,
  frameMax: 131_072,
  channelMax: 2047,
  connectTimeoutMs: 10_000,
  replyTimeoutMs: 60_000,
  maxHeaderBytes: 16 * 1024 * 1024,
  maxBodyBytes: 512 * 1024 * 1024,
}

export function settleOptions(options: ConnectionOptions, fromUrl: ConnectionOptions): SettledOptions {
  const settled = { ...defaults, ...defined(fromUrl), ...defined(options) }
  checkTime('connectTimeoutMs', settled.connectTimeoutMs)
  checkTime('replyTimeoutMs', settled.replyTimeoutMs)
  return settled
}

/** A timer of Node takes no more than this, and fires at once when it is given more. */
const longestMs = 0x7fffffff

function checkTime(name: string, value: number): void {
  if (value > 0 && value <= longestMs) return
  throw new InvalidArgumentError(
    `${name} is ${value}; it must be a number of milliseconds from 1 to ${longestMs}.`,
  )
}

function defined<Value extends object>(value: Value): Value {
  return Object.fromEntries(Object.entries(value).filter(([, entry]) => entry !== undefined)) as Value
}
