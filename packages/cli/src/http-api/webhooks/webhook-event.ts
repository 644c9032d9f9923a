import type { KeptRecord } from '../audit/audit-check.ts'
import type { Cause, Task } from '../contract/contract.ts'

/** What a webhook can tell. */
export type WebhookEvent =
  | {
      readonly kind: 'dlq.above'
      readonly queue: string
      readonly messages: number
      readonly above: number
    }
  | {
      readonly kind: 'dlq.growth'
      readonly queue: string
      readonly messages: number
      readonly grownBy: number
      readonly withinMs: number
    }
  | {
      readonly kind: 'cause.new'
      readonly queue: string
      readonly cause: Cause
      readonly messages: number
      /** The body of one of them, for those who asked for it. */
      readonly sample?: string
    }
  | {
      readonly kind: 'task.finished'
      readonly queue: string
      readonly task: Task
      /** The newest record of the audit log: whoever keeps it can prove later that the log still has it. */
      readonly audit?: KeptRecord
    }

/** An event on its way: the same id however often it is sent. */
export interface SentEvent {
  readonly id: string
  readonly at: string
  readonly vhost: string
  readonly event: WebhookEvent
}
