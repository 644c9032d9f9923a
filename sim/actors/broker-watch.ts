import { auditStream, taskStream } from '../../packages/cli/src/http-api/records/own-streams.ts'
import { consumerHeaders } from '../../packages/warrenmq/src/consumer/settle/consumer-headers.ts'
import type { Broker } from '../../packages/warrenmq/src/embedded/model/broker.ts'
import type {
  Consumer,
  ConsumerChannel,
  Queue,
} from '../../packages/warrenmq/src/embedded/model/queue/queue.ts'
import { headerInteger, headerText } from '../../packages/warrenmq/src/message/header-values.ts'
import { recoveryHeaders } from '../../packages/warrenmq/src/recovery/put-back/recovery-headers.ts'
import type { QueueFlow } from '../../packages/warrenmq/src/topology/queue-flow.ts'
import { readProperty } from '../../packages/warrenmq/src/wire/properties.ts'
import type { SimProcess } from '../world/sim-process.ts'

/** Where servers write down what they do. */
const recordStreams: ReadonlySet<string> = new Set([auditStream, taskStream])

/** What the broker saw of one re-drive. */
export interface SeenRedrive {
  /** When copies came into a queue by its publishes. */
  readonly arrivedAtMs: number[]
  /** The most copies whose originals were in their queue at a time. */
  mostDoubled: number
  /** Acks of the dead-letter queue before its first copy. */
  readonly ackedBefore: number
}

/** Looks over the broker's shoulder: what comes into its queues, and what is acknowledged there. */
export class BrokerWatch {
  readonly #redrives = new Map<string, SeenRedrive>()
  readonly #acked = new Map<string, number[]>()
  /** By queue and id: how many copies came in and were not acknowledged. */
  readonly #held = new Map<string, Map<string, number>>()
  #accidents = 0
  /** Copies that somebody published into the dead-letter queue. */
  publishedDead = 0
  /** The most connections that consumed from the dead-letter queue at a time. */
  mostAtWork = 0
  readonly #nowMs: () => number
  readonly #ownerOf: (channel: ConsumerChannel) => unknown
  readonly #speakerOf: (channel: object) => SimProcess | undefined
  readonly #comes: (moment: 'copy' | 'ack' | 'record', writer?: SimProcess) => void
  readonly #workQueue: string
  readonly #deadLetterQueue: string | undefined

  constructor(
    broker: Broker,
    {
      flow,
      nowMs,
      ownerOf,
      speakerOf,
      comes,
    }: {
      flow: Pick<QueueFlow, 'queue' | 'deadLetterQueue'>
      nowMs: () => number
      ownerOf: (channel: ConsumerChannel) => unknown
      speakerOf: (channel: object) => SimProcess | undefined
      /** Called for each copy of a dead letter, for each dead letter that is taken away, and for each record of a server. */
      comes: (moment: 'copy' | 'ack' | 'record', writer?: SimProcess) => void
    },
  ) {
    this.#nowMs = nowMs
    this.#ownerOf = ownerOf
    this.#speakerOf = speakerOf
    this.#comes = comes
    this.#workQueue = flow.queue
    this.#deadLetterQueue = flow.deadLetterQueue
    const { queues } = broker.vhosts.get('/')!
    const set = queues.set.bind(queues)
    queues.set = (name, queue) => set(name, this.#watch(queue))
  }

  redrive(id: string): SeenRedrive {
    const ackedBefore = this.#ackedDead
    const seen = this.#redrives.get(id) ?? { arrivedAtMs: [], mostDoubled: 0, ackedBefore }
    this.#redrives.set(id, seen)
    return seen
  }

  /** How many messages of a queue were acknowledged between two moments. */
  countAcked(queue: string, { fromMs, toMs }: { fromMs: number; toMs: number }): number {
    return (this.#acked.get(queue) ?? []).filter((atMs) => atMs >= fromMs && atMs <= toMs).length
  }

  /** The ids of all that a queue has, ready or in hand. */
  held(queue: string): readonly string[] {
    return [...(this.#held.get(queue) ?? [])].flatMap(([id, copies]) => (copies > 0 ? [id] : []))
  }

  /** Of the next publishes every other is not taken by its queue, which the broker tells with a nack. */
  haveAccidents(publishes: number): void {
    this.#accidents += publishes
  }

  #hasAccident(): boolean {
    if (this.#accidents === 0) return false
    this.#accidents -= 1
    return this.#accidents % 2 === 1
  }

  get #ackedDead(): number {
    return this.#acked.get(this.#deadLetterQueue ?? '')?.length ?? 0
  }

  #watch(queue: Queue): Queue {
    const { enqueue, settle, consume } = queue
    const acked: number[] = this.#acked.get(queue.name) ?? []
    this.#acked.set(queue.name, acked)
    const held = new Map<string, number>()
    const count = (id: unknown, more: number): void => {
      held.set(String(id), (held.get(String(id)) ?? 0) + more)
    }
    this.#held.set(queue.name, held)
    return Object.assign(queue, {
      consume: (consumer: Consumer) => {
        consume(consumer)
        if (queue.name !== this.#deadLetterQueue) return
        const owners = new Set(queue.consumers().map(({ channel }) => this.#ownerOf(channel)))
        this.mostAtWork = Math.max(this.mostAtWork, owners.size)
      },
      enqueue: (message: Parameters<Queue['enqueue']>[0], publisher: object | undefined) => {
        const isPublished = publisher !== undefined && !('resourceKind' in publisher)
        if (isPublished && this.#hasAccident()) return false
        const isTaken = enqueue(message, publisher)
        const id = readProperty(message.properties, 'messageId')
        if (isTaken && id !== undefined) count(id, 1)
        if (isTaken && isPublished && queue.name === this.#workQueue)
          this.#noteArrival(message.properties, publisher)
        if (isTaken && isPublished && queue.name === this.#deadLetterQueue) {
          this.publishedDead += 1
          this.#comes('copy')
        }
        if (isTaken && isPublished && recordStreams.has(queue.name))
          this.#comes('record', this.#speakerOf(publisher))
        return isTaken
      },
      settle: (settled: Parameters<Queue['settle']>[0]) => {
        if (settled.settlement === 'ack') {
          for (const { message } of settled.entries) {
            acked.push(this.#nowMs())
            count(readProperty(message.properties, 'messageId'), -1)
          }
        }
        settle(settled)
        if (settled.settlement === 'ack' && queue.name === this.#deadLetterQueue) this.#comes('ack')
      },
    })
  }

  /** A copy that a consumer put back into its own queue is not the re-drive's, though it carries its number. */
  #noteArrival(properties: Buffer, publisher: object): void {
    const headers = readProperty(properties, 'headers')
    const id = headerText(headers, recoveryHeaders.redriveId)
    if (id === undefined) return
    // What a consumer has copied may be dead-lettered later, and be moved by a re-drive then.
    const isCopy = headerInteger(headers, consumerHeaders.recounts) !== undefined
    if (isCopy && this.#speakerOf(publisher)?.name.startsWith('consumer')) return
    const seen = this.redrive(id)
    seen.arrivedAtMs.push(this.#nowMs())
    this.#comes('copy')
    seen.mostDoubled = Math.max(
      seen.mostDoubled,
      seen.arrivedAtMs.length - (this.#ackedDead - seen.ackedBefore),
    )
  }
}
