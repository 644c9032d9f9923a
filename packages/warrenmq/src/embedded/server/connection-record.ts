import type { Socket } from 'node:net'
import type { FieldTable } from '../../wire/field-value.ts'
import type { FrameParser } from '../../wire/frame-parser.ts'
import type { User } from '../model/access/access.ts'
import type { Actor } from '../model/access/actor.ts'
import type { Broker } from '../model/broker.ts'
import { booleanOf, lookUp } from '../model/message/terms.ts'
import type { AmqpConnection } from './amqp-connection.ts'
import type { ConnectionOutput } from './connection-output.ts'
import type { ConnectionPhase } from './connection-phase.ts'
import type { FaultPlan } from './faults.ts'
import type { Heartbeat } from './heartbeat.ts'
import type { ServerChannel } from './server-channel.ts'

export interface ConnectionHost {
  readonly broker: Broker
  readonly faults: FaultPlan
  readonly clusterName: string
  /** All that are there, this one too. */
  readonly connections: () => Iterable<AmqpConnection>
  /** Called before a client gets a delivery. */
  onDelivery(): void
  /** An error that is a mistake of the broker itself. */
  report(error: unknown): void
}

/** One connection, as far as it has come. */
export interface ConnectionRecord {
  readonly socket: Socket
  readonly host: ConnectionHost
  /** Owns the exclusive queues. */
  readonly identity: object
  readonly output: ConnectionOutput
  readonly parser: FrameParser
  readonly channels: Map<number, ServerChannel>
  phase: ConnectionPhase
  /** The first bytes, until the protocol header is whole. */
  greeting: Buffer
  user: User | undefined
  actor: Actor | undefined
  clientProperties: FieldTable
  frameMax: number
  /** How many channels it may have at once. */
  channelMax: number
  heartbeat: Heartbeat | undefined
  /** Runs while the client has not answered the broker's close. */
  graceTimer: NodeJS.Timeout | undefined
  /** It publishes while resources are short. */
  isBlocked: boolean
  /** The frames that came with the one at which it was blocked. */
  readonly unread: (() => void)[]
  receivedBytes: number
  publishCount: number
}

/** Whether the client said that it understands something that not all clients do. */
export function isCapable({ clientProperties }: ConnectionRecord, capability: string): boolean {
  const declared = lookUp(clientProperties, 'capabilities')
  return declared?.type === 'F' ? (booleanOf(lookUp(declared.value, capability)) ?? false) : false
}
