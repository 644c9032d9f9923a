import type { Delivery } from '../../broker/amqp/delivery.ts'
import type { FailedPublish } from './failed-publish.ts'
import type { HeldChannel } from './held-channel.ts'
import type { RedriveStep } from './plan-redrive.ts'
import type { TakenMessage } from './redrive-event.ts'

/** A message that was taken: what was delivered, on which channel, and where it goes. */
export class Taken implements TakenMessage {
  // `declare`: else every message would have its fields written twice, the first time with undefined.
  declare readonly channel: HeldChannel
  declare readonly delivery: Delivery
  declare readonly bytes: number
  declare step: RedriveStep | undefined
  declare queues: readonly string[] | undefined
  declare failure: FailedPublish | undefined

  constructor(channel: HeldChannel, delivery: Delivery) {
    this.channel = channel
    this.delivery = delivery
    this.bytes = delivery.bodyBytes
    this.step = undefined
    this.queues = undefined
    this.failure = undefined
  }
}
