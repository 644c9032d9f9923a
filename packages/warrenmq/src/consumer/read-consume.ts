import { realClock } from '../clock.ts'
import { InvalidArgumentError } from '../errors.ts'
import { readDuration } from '../message/duration.ts'
import { refuseUnknown } from '../message/refuse-unknown.ts'
import type { MessageDeclarations } from '../topology/message-declaration.ts'
import { createNaming } from '../topology/name-message.ts'
import type { BatchConsumerOptions, BatchHandler, BatchOptions } from './batch/batch-handler.ts'
import { gatherBatches } from './batch/gather-batches.ts'
import { checkHandler, mostPrefetch } from './check-consumer-options.ts'
import type { ConsumerOptions } from './consumer-options.ts'
import type { ConsumerParts } from './consumer-parts.ts'
import type { Handler } from './handler.ts'
import { handleByName, type NamedConsumerOptions } from './named/handle-by-name.ts'

/** What `consume()` was given after the queue, in one of its three forms. */
export interface ConsumeCall {
  readonly queue: string
  /** A handler, handlers by name, or the options of a batch. */
  readonly first: unknown
  /** Options, or the handler of a batch. */
  readonly second: unknown
  readonly messages: MessageDeclarations
  /** What the queue handles, as the topology says. */
  readonly handles: readonly string[] | undefined
}

type Read = Pick<ConsumerParts, 'handler' | 'options' | 'nameOf' | 'onQuiet'>

/** One handler with its options, whichever way they were said. */
export function readConsume(call: ConsumeCall): Read {
  const { first, second, messages } = call
  const nameOf = createNaming(messages)
  if (typeof second === 'function') return { nameOf, ...readBatch(first, second as BatchHandler) }
  if (typeof first === 'object' && first !== null) return { nameOf, ...readNamed(call) }
  return { nameOf, handler: first as Handler, options: readOptions(second) }
}

/** A null would pass for no options at all. */
function readOptions(given: unknown = {}): ConsumerOptions {
  if (typeof given === 'object' && given !== null) return given
  throw new InvalidArgumentError(
    `What a consumer got as its options is ${String(given)}; it must be an object.`,
  )
}

function readNamed({ queue, first, second, messages, handles }: ConsumeCall): Read {
  const { unknown, ...options } = readOptions(second) as NamedConsumerOptions
  const handlers = first as Readonly<Record<string, Handler>>
  for (const handler of Object.values(handlers)) if (handler !== undefined) checkHandler(handler)
  if ('schema' in options)
    throw new InvalidArgumentError('Handlers by name take the schemas of their messages; leave "schema" out.')
  return { handler: handleByName(handlers, { queue, messages, handles, unknown }), options }
}

/** A batch takes a place for each of its messages, so as many messages are let in as its batches can have. */
function readBatch(first: unknown, handler: BatchHandler): Read {
  const { batch, concurrency = 1, ...options } = (first ?? {}) as BatchConsumerOptions
  const { size, waitMs } = readSize(batch)
  const places = size * concurrency
  if (!Number.isInteger(concurrency) || concurrency < 1 || places > mostPrefetch)
    throw new InvalidArgumentError(
      `concurrency is ${String(concurrency)}; with batches of ${size} it must be a whole number from 1 to ${Math.floor(mostPrefetch / size)}.`,
    )
  const rules = { size, waitMs, concurrency, clock: options.clock ?? realClock }
  const gathering = gatherBatches(handler, rules)
  return {
    handler: gathering.handler,
    options: { ...options, concurrency: places },
    onQuiet: gathering.flush,
  }
}

function readSize(batch: BatchOptions): { readonly size: number; readonly waitMs: number } {
  refuseUnknown('batch', batch, { size: true, wait: true })
  const { size, wait = '1s' } = batch
  if (!Number.isInteger(size) || size < 1 || size > mostPrefetch)
    throw new InvalidArgumentError(
      `batch.size is ${String(size)}; it must be a whole number from 1 to ${mostPrefetch}.`,
    )
  const reading = readDuration(wait)
  if (!reading.isValid) throw new InvalidArgumentError(`batch.wait: ${reading.problem}`)
  return { size, waitMs: reading.milliseconds }
}
