import { onTestFinished } from 'vitest'
import type { AmqpChannel } from '../../../packages/warrenmq/src/broker/amqp/channel.ts'
import { declareQueue } from '../../../packages/warrenmq/src/broker/amqp/declarations.ts'
import { Session } from '../../../packages/warrenmq/src/broker/amqp/session.ts'
import {
  type EmbeddedBroker,
  type EmbeddedBrokerOptions,
  startEmbeddedBroker,
} from '../../../packages/warrenmq/src/embedded/start-embedded-broker.ts'
import { Publisher } from '../../../packages/warrenmq/src/publisher/publisher.ts'
import { type Redrive, startRedrive } from '../../../packages/warrenmq/src/recovery/redrive/redrive.ts'
import type { RedriveOptions } from '../../../packages/warrenmq/src/recovery/redrive/redrive-options.ts'
import { type PlainTable, toFieldTable } from '../../../packages/warrenmq/src/wire/plain-fields.ts'
import { unlimitedQuorum } from './recovery-rig.ts'

export interface EmbeddedRig {
  readonly broker: EmbeddedBroker
  readonly consuming: Session
  readonly publishing: Session
  readonly admin: AmqpChannel
  readonly publisher: Publisher
  /** What every work on the queue `dlq` is told. */
  readonly task: Pick<RedriveOptions, 'consuming' | 'publishing' | 'queue' | 'by' | 'acceptDeliveryLimit'>
  redrive(options?: Partial<RedriveOptions>): Redrive
  /** Ready messages, as the broker itself knows them. */
  depth(queue: string): number
}

export interface EmbeddedRigOptions extends EmbeddedBrokerOptions {
  /** @default 6 */
  readonly count?: number
  /** Of `dlq`. @default those of a quorum queue without a limit */
  readonly arguments?: PlainTable
  readonly headers?: PlainTable
  /** Where the session that consumes connects, when its connection is to be broken. */
  readonly consumingUrl?: (url: string) => Promise<string>
  readonly publishingUrl?: (url: string) => Promise<string>
}

const quick = { backoff: { initialMs: 1, maxMs: 20 } }

/** Six dead letters `m-0` to `m-5` in `dlq` that failed in `work`, and a connection for each who works on them. */
export async function createEmbeddedRig(options: EmbeddedRigOptions = {}): Promise<EmbeddedRig> {
  const {
    count = 6,
    headers = { 'x-original-queue': 'work' },
    arguments: ofDlq,
    consumingUrl,
    publishingUrl,
    ...rest
  } = options
  const broker = await startEmbeddedBroker({ profile: '3.10', ...rest })
  const open = async (through = async (url: string) => url) => Session.open(await through(broker.url), quick)
  const [direct, consuming, publishing] = [await open(), await open(consumingUrl), await open(publishingUrl)]
  onTestFinished(async () => {
    await Promise.all([direct, consuming, publishing].map((session) => session.close()))
    await broker.stop()
  })
  const admin = await direct.openChannel()
  const unlimited = unlimitedQuorum(direct.broker.version)
  await declareQueue(admin, { queue: 'dlq', arguments: toFieldTable(ofDlq ?? unlimited) })
  await declareQueue(admin, { queue: 'work', arguments: toFieldTable(unlimited) })
  const publisher = new Publisher(direct)
  const ids = Array.from({ length: count }, (_, index) => `m-${index}`)
  await Promise.all(ids.map((id) => publisher.publish({ key: 'dlq', body: id, messageId: id, headers })))
  const task = { consuming, publishing, queue: 'dlq', by: 'test', acceptDeliveryLimit: true }
  return {
    broker,
    consuming,
    publishing,
    admin,
    publisher,
    task,
    redrive: (wanted = {}) => startRedrive({ ...task, window: { messages: 1 }, ...wanted }),
    depth: (queue) => broker.inspect(queue)?.counts.ready ?? 0,
  }
}
