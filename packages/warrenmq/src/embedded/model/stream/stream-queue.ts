import { describeResource } from '../describe-resource.ts'
import { compareAsBinaries, integerOf, lookUp } from '../message/terms.ts'
import type { EffectivePolicy } from '../policy/policies.ts'
import { ProtocolError, stumble } from '../protocol-error.ts'
import type { Consumer, Queue, QueueDeclaration, QueueSurroundings } from '../queue/queue.ts'
import type { QueueSettings } from '../queue/queue-settings.ts'
import type { QueuedMessage } from '../queue/queued-message.ts'
import { checkFilterValue, passesFilter, readStreamFilter, type StreamFilter } from './stream-filter.ts'
import { createStreamLog } from './stream-log.ts'
import { readFromStream } from './stream-storage.ts'

interface Reader {
  readonly consumer: Consumer
  readonly filter: StreamFilter | undefined
  offset: number
  credit: number
}

const defaultSegmentBytes = 500_000_000

/** A stream: reading takes nothing away, so there is nothing to return and nothing to fetch. */
export function createStreamQueue(
  declaration: QueueDeclaration,
  initial: { settings: QueueSettings; policy: EffectivePolicy },
  surroundings: QueueSurroundings,
): Queue {
  const { clock } = surroundings
  const resource = describeResource({ kind: 'queue', name: declaration.name, vhost: declaration.vhost })
  const segmentBytes =
    integerOf(lookUp(declaration.arguments, 'x-stream-max-segment-size-bytes')) ?? defaultSegmentBytes
  const knowsFilters = surroundings.profile.consumerArguments.stream.includes('x-stream-filter')
  let { settings, policy } = initial
  const log = createStreamLog(() => ({
    maxBytes: settings.maxBytes,
    maxAgeMs: settings.maxAgeMs,
    segmentBytes,
  }))
  const readers = new Map<Consumer, Reader>()
  let unacknowledged = 0

  function readOn(reader: Reader): void {
    const { consumer } = reader
    reader.offset = Math.max(reader.offset, log.firstOffset())
    while (reader.credit > 0 && consumer.channel.canSend()) {
      const entry = log.read(reader.offset)
      if (!entry) return
      if (reader.filter && !passesFilter(reader.filter, entry.message.properties)) {
        reader.offset += 1
        continue
      }
      reader.credit -= 1
      unacknowledged += 1
      const properties = readFromStream(
        entry.message.properties,
        reader.offset,
        surroundings.profile.streamStorage,
      )
      reader.offset += 1
      consumer.channel.deliver({ queue, consumer, entry, isRedelivered: false, properties, needsAck: true })
    }
  }

  /** A channel of RabbitMQ serves its readers by their tags, the last first. */
  function inOrder(): Iterable<Reader> {
    if (readers.size < 2) return readers.values()
    return [...readers.values()].sort((a, b) => compareAsBinaries(b.consumer.tag, a.consumer.tag))
  }

  function consume(consumer: Consumer): void {
    if (consumer.prefetch === 0) {
      throw new ProtocolError('PRECONDITION_FAILED', surroundings.profile.streamRefusals.noPrefetch(resource))
    }
    if (consumer.noAck) {
      throw new ProtocolError('NOT_IMPLEMENTED', surroundings.profile.streamRefusals.noAck(resource))
    }
    // No version is prepared for an offset that is neither a text nor a number nor a time.
    const asked = lookUp(consumer.arguments, 'x-stream-offset')
    if (asked && !['S', 'T'].includes(asked.type) && integerOf(asked) === undefined) throw stumble()
    const offset = log.startOf(consumer.arguments, clock.now())
    const filter = knowsFilters ? readStreamFilter(consumer.arguments) : undefined
    readers.set(consumer, { consumer, filter, offset, credit: consumer.prefetch })
  }

  const queue: Queue = {
    resourceKind: 'queue',
    ...declaration,
    policy() {
      return policy
    },
    settings() {
      return settings
    },
    consumers() {
      return [...readers.keys()]
    },
    isActive: () => true,
    counts() {
      return {
        ready: log.nextOffset() - log.firstOffset(),
        unacknowledged,
        declaredConsumers: 0,
        consumers: readers.size,
        readyBytes: log.bytes(),
        unacknowledgedBytes: 0,
        deadLetters: 0,
        deadLetterBytes: 0,
        delayed: 0,
      }
    },
    enqueue: (message, publisher) => {
      const isPublished = publisher !== undefined && !('resourceKind' in publisher) // and no dead letter
      if (knowsFilters && isPublished) checkFilterValue(message.properties)
      const entry: QueuedMessage = {
        message,
        position: log.nextOffset(),
        expiresAtMs: Number.POSITIVE_INFINITY,
        sizeBytes: message.bodyBytes,
        returnCount: 0,
        deliveryCount: 0,
        heldUntilMs: Number.POSITIVE_INFINITY,
      }
      log.append(entry, clock.now())
      for (const reader of inOrder()) readOn(reader)
      return true
    },
    get: () => {
      throw new ProtocolError('NOT_IMPLEMENTED', `basic.get not supported by stream queues ${resource}`)
    },
    consume,
    start: (consumer) => {
      const reader = readers.get(consumer)
      if (reader) readOn(reader)
    },
    cancel: (consumer) => {
      readers.delete(consumer)
    },
    settle: ({ consumer, entries, settlement }) => {
      const { rejecting } = surroundings.profile.streamRefusals
      if (settlement !== 'ack' && rejecting) throw new ProtocolError('NOT_IMPLEMENTED', rejecting(resource))
      unacknowledged -= entries.length
      const reader = consumer && readers.get(consumer)
      if (!reader) return
      reader.credit += entries.length
      readOn(reader)
    },
    channelDown: (channel, held) => {
      unacknowledged -= held.length
      for (const consumer of [...readers.keys()]) if (consumer.channel === channel) readers.delete(consumer)
    },
    channelReady: (channel) => {
      for (const reader of readers.values()) if (reader.consumer.channel === channel) readOn(reader)
    },
    purge: () => {
      throw new ProtocolError('NOT_IMPLEMENTED', `queue.purge not supported by stream queues ${resource}`)
    },
    restored: () => undefined,
    forgetTransient: () => undefined, // it writes every message to disk, whatever its delivery mode
    applySettings: (nextSettings, nextPolicy) => {
      settings = nextSettings
      policy = nextPolicy
    },
    touch: () => undefined,
    stop: () => [...readers.keys()],
    messages: () => log.all(),
  }
  return queue
}
