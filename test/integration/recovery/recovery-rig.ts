import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import type { AmqpChannel } from '../../../packages/warrenmq/src/broker/amqp/channel.ts'
import { declareQueue, inspectQueue } from '../../../packages/warrenmq/src/broker/amqp/declarations.ts'
import type { Delivery } from '../../../packages/warrenmq/src/broker/amqp/delivery.ts'
import { joinBody } from '../../../packages/warrenmq/src/broker/amqp/message.ts'
import { Session } from '../../../packages/warrenmq/src/broker/amqp/session.ts'
import type { Management } from '../../../packages/warrenmq/src/broker/management/open-management.ts'
import { pairManagement } from '../../../packages/warrenmq/src/broker/management/pair-management.ts'
import { brokerCapabilities } from '../../../packages/warrenmq/src/message/broker-capabilities.ts'
import { parseBrokerVersion } from '../../../packages/warrenmq/src/message/broker-version.ts'
import type { OutgoingMessage } from '../../../packages/warrenmq/src/publisher/outgoing-message.ts'
import { Publisher } from '../../../packages/warrenmq/src/publisher/publisher.ts'
import type { Receipt } from '../../../packages/warrenmq/src/recovery/receipt/receipt.ts'
import { startRedrive } from '../../../packages/warrenmq/src/recovery/redrive/redrive.ts'
import type { RedriveOptions } from '../../../packages/warrenmq/src/recovery/redrive/redrive-options.ts'
import { decodeTable } from '../../../packages/warrenmq/src/wire/decode-table.ts'
import {
  type PlainTable,
  toFieldTable,
  toPlainTable,
} from '../../../packages/warrenmq/src/wire/plain-fields.ts'
import {
  decodeProperties,
  type Properties,
  type RawProperties,
} from '../../../packages/warrenmq/src/wire/properties.ts'

export interface RecoveryRig {
  readonly consuming: Session
  readonly publishing: Session
  readonly admin: AmqpChannel
  readonly management: Management
  readonly publisher: Publisher
  declare(queue: string, args?: PlainTable): Promise<void>
  /** A queue whose dead letters go to another, so that what says to have failed in it can go back to it. */
  declareWork(queue: string, deadLetterQueue: string): Promise<void>
  fill(queue: string, count: number, message?: (index: number) => Partial<OutgoingMessage>): Promise<void>
  depth(queue: string): Promise<number>
  drain(queue: string): Promise<Drained[]>
  redrive(options: Partial<RedriveOptions> & { queue: string }): Promise<Receipt>
}

export interface Drained {
  readonly raw: RawProperties
  readonly properties: Properties
  readonly headers: PlainTable
  readonly body: string
}

export interface RigOptions {
  readonly url: string
  /** Where the re-drive connects, when its connection is to be broken. */
  readonly consumingUrl?: string
  readonly publishingUrl?: string
  readonly managementUrl: string
  readonly username: string
  readonly password: string
}

const quick = { backoff: { initialMs: 5, maxMs: 100 } }

/** Sessions of its own for each part, so that a test can break one without the others. */
export async function createRecoveryRig(options: RigOptions): Promise<RecoveryRig> {
  const { url, consumingUrl = url, publishingUrl = url, username, password } = options
  const direct = await Session.open(url, quick)
  const consuming = await Session.open(consumingUrl, quick)
  const publishing = await Session.open(publishingUrl, quick)
  const access = new URL(options.managementUrl)
  const managementUrl = `${access.protocol}//${username}:${password}@${access.host}`
  const management = pairManagement(consuming, { managementUrl, isManagementGuessed: false })
  onTestFinished(async () => {
    await Promise.all([direct, consuming, publishing].map((session) => session.close()))
    management.close()
  })
  const publisher = new Publisher(direct)
  const admin = await direct.openChannel()
  return {
    consuming,
    publishing,
    admin,
    management,
    publisher,
    declare: async (queue, args = unlimitedQuorum(direct.broker.version)) => {
      await declareQueue(admin, { queue, arguments: toFieldTable(args) })
    },
    declareWork: async (queue, deadLetterQueue) => {
      const way = { 'x-dead-letter-exchange': '', 'x-dead-letter-routing-key': deadLetterQueue }
      const args = { ...unlimitedQuorum(direct.broker.version), ...way }
      await declareQueue(admin, { queue, arguments: toFieldTable(args) })
    },
    fill: async (queue, count, message = () => ({})) => {
      const results = Array.from({ length: count }, (_, index) =>
        publisher.publish({ key: queue, body: String(index), messageId: `m-${index}`, ...message(index) }),
      )
      const kinds = new Set((await Promise.all(results)).map(({ kind }) => kind))
      if (count > 0 && [...kinds].join() !== 'confirmed') throw new Error(`Filled with ${[...kinds].join()}.`)
    },
    depth: async (queue) => (await inspectQueue(admin, queue)).messageCount,
    drain: (queue) => drain(admin, queue),
    redrive: (rest) => startRedrive({ consuming, publishing, management, by: 'test', ...rest }).receipt,
  }
}

/** A queue that no amount of looking can empty. */
export function unlimitedQuorum(version: string): PlainTable {
  const { supportsUnlimitedDeliveryLimit } = brokerCapabilities(parseBrokerVersion(version))
  return { 'x-queue-type': 'quorum', ...(supportsUnlimitedDeliveryLimit && { 'x-delivery-limit': -1 }) }
}

/** Takes everything out of a queue that holds so many as it says, but for what somebody else takes meanwhile. */
async function drain(channel: AmqpChannel, queue: string): Promise<Drained[]> {
  const messages: Drained[] = []
  const { messageCount } = await inspectQueue(channel, queue)
  if (messageCount === 0) return messages
  await channel.setPrefetch(500)
  const consumerTag = await channel.consume(queue, (delivery) => {
    messages.push(readMessage(delivery))
    delivery.ack()
  })
  let idleReads = 0
  while (messages.length < messageCount && idleReads < mostIdleReads) {
    const before = messages.length
    const { messageCount: ready } = await inspectQueue(channel, queue)
    idleReads = ready === 0 && messages.length === before ? idleReads + 1 : 0
    await sleep(idleReads === 0 ? 0 : readEveryMs)
  }
  await channel.cancel(consumerTag)
  return messages
}

const mostIdleReads = 100
const readEveryMs = 20

function readMessage({ properties: raw, body }: Delivery): Drained {
  const properties = decodeProperties(raw)
  const headers = properties.headers === undefined ? {} : toPlainTable(decodeTable(properties.headers))
  return { raw: Buffer.from(raw), properties, headers, body: joinBody(body).toString() }
}
