import type { PlainTable } from '../../packages/warrenmq/src/wire/plain-fields.ts'

/** Four channels on two connections. All but the last confirm what is published on them. */
export const channelNames = ['a1', 'a2', 'b1', 'b2'] as const
/** The one channel without confirms, which alone can have transactions. */
export const plainChannel = 'b2' as const
export type ChannelName = (typeof channelNames)[number]

/** One thing that a client does. Names are short; each run puts its own prefix before them. */
export type Operation =
  | {
      readonly do: 'declare-queue'
      readonly on: ChannelName
      readonly queue: string
      readonly durable: boolean
      readonly exclusive: boolean
      readonly autoDelete: boolean
      readonly passive: boolean
      readonly arguments: PlainTable
    }
  | {
      readonly do: 'delete-queue'
      readonly on: ChannelName
      readonly queue: string
      readonly ifUnused: boolean
      readonly ifEmpty: boolean
    }
  | { readonly do: 'purge-queue'; readonly on: ChannelName; readonly queue: string }
  | {
      readonly do: 'declare-exchange'
      readonly on: ChannelName
      readonly exchange: string
      readonly type: string
      readonly durable: boolean
      readonly autoDelete: boolean
      readonly internal: boolean
      readonly arguments: PlainTable
    }
  | {
      readonly do: 'delete-exchange'
      readonly on: ChannelName
      readonly exchange: string
      readonly ifUnused: boolean
    }
  | {
      readonly do: 'bind' | 'unbind'
      readonly on: ChannelName
      readonly exchange: string
      readonly to: { readonly queue: string } | { readonly exchange: string }
      readonly key: string
      readonly arguments: PlainTable
    }
  | {
      readonly do: 'publish'
      readonly on: ChannelName
      readonly exchange: string
      /** A queue's short name stands for its whole name. */
      readonly key: string
      readonly mandatory: boolean
      readonly bodyBytes: number
      readonly properties: {
        readonly headers?: PlainTable
        readonly deliveryMode?: number
        readonly priority?: number
        readonly expiration?: string
        readonly contentType?: string
        readonly contentEncoding?: string
        readonly correlationId?: string
        readonly replyTo?: string
        readonly appId?: string
        readonly clusterId?: string
        readonly messageId?: string
        readonly type?: string
        readonly userId?: string
        readonly timestamp?: number
      }
    }
  | {
      readonly do: 'consume'
      readonly on: ChannelName
      readonly queue: string
      readonly tag: string
      readonly noAck: boolean
      readonly exclusive: boolean
      readonly arguments: PlainTable
    }
  | { readonly do: 'cancel'; readonly on: ChannelName; readonly tag: string }
  | { readonly do: 'get'; readonly on: ChannelName; readonly queue: string; readonly noAck: boolean }
  | {
      readonly do: 'settle'
      readonly on: ChannelName
      readonly how: 'ack' | 'nack' | 'reject'
      /** Which of the deliveries the channel holds, counted from the oldest and taken round. */
      readonly which: number
      readonly multiple: boolean
      readonly requeue: boolean
    }
  | { readonly do: 'recover'; readonly on: ChannelName }
  | { readonly do: 'qos'; readonly on: ChannelName; readonly count: number; readonly global: boolean }
  | { readonly do: 'close-channel'; readonly on: ChannelName }
  /** The one that the channel is on. */
  | { readonly do: 'close-connection'; readonly on: ChannelName }
  | { readonly do: 'tx'; readonly on: ChannelName; readonly step: 'select' | 'commit' | 'rollback' }
  | {
      readonly do: 'set-policy'
      readonly policy: string
      /** A part of a regular expression over the short names. */
      readonly pattern: string
      readonly definition: Readonly<Record<string, string | number>>
      readonly priority: number
      readonly applyTo: string
      /** Weighs in beside the user's policy. */
      readonly isOperators: boolean
    }
  | { readonly do: 'clear-policy'; readonly policy: string; readonly isOperators: boolean }
  | { readonly do: 'wait'; readonly ms: number }

export type Program = readonly Operation[]
