import type { FieldTable } from '../../wire/field-value.ts'
import type { User } from '../model/access/access.ts'
import type { ProtocolError } from '../model/protocol-error.ts'
import type { ConnectionPhase } from './connection-phase.ts'
import type { ServerChannel } from './server-channel.ts'

export interface SocketEnd {
  readonly host: string
  readonly port: number
}

/** One client. */
export interface AmqpConnection {
  readonly name: string
  /** Where the client sits, and where it came in. */
  readonly peer: SocketEnd
  readonly local: SocketEnd
  user(): User | undefined
  vhost(): string | undefined
  clientProperties(): FieldTable
  readonly channels: ReadonlyMap<number, ServerChannel>
  phase(): ConnectionPhase
  readonly connectedAtMs: number
  frameMax(): number
  channelMax(): number
  /** True when nothing waits to be sent. */
  isFlushed(): boolean
  /** Counts what has come in but for heartbeats, so that one can see whether anything still does. */
  receivedBytes(): number
  publishCount(): number
  /** The broker closes it, e.g. because an operator asked for it. */
  close(error: ProtocolError): void
  /** The same without waiting for the client to agree. */
  shutDown(error: ProtocolError): void
  /** Ends it without a word. */
  cut(): void
  /**
   * Sends a heartbeat. With it goes the acknowledgement of all that has come in, and a client that holds back
   * its next bytes until then (Nagle's algorithm, the default of some clients) lets them go.
   */
  nudge(): void
  /** Reads on, if it was blocked and there is no reason for it any more. */
  endBlock(): void
}
