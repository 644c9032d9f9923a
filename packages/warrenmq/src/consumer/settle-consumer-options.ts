import { type Clock, longestTimerMs, realClock } from '../clock.ts'
import { InvalidArgumentError } from '../errors.ts'
import { type Duration, parseDuration } from '../message/duration.ts'
import { readTimes } from '../message/read-times.ts'
import type { TracingApi } from '../publisher/tracing-api.ts'
import type { QueueFlow } from '../topology/queue-flow.ts'
import { hostname, random } from '../world.ts'
import { checkConsumerOptions, mostPrefetch } from './check-consumer-options.ts'
import type { BreakerOptions, ConsumerOptions, StreamOffset } from './consumer-options.ts'
import type { BreakerPolicy } from './decide/breaker-state.ts'
import type { Middleware } from './handler.ts'
import { type StatusTable, statusTables } from './http/status-tables.ts'
import { dedupe } from './middleware/dedupe.ts'
import { validateBody } from './middleware/validate-body.ts'
import type { BodyDecoder, ConsumedMessage } from './run/consumed-message.ts'
import { createDecoder, decodeJson } from './run/decoder.ts'

export interface SettledConsumerOptions {
  readonly concurrency: number
  readonly prefetch: number
  readonly orderBy: ((message: ConsumedMessage) => unknown) | undefined
  readonly timeoutMs: number
  /** A message neither waits nor runs for longer than this after its receipt. */
  readonly longestHoldMs: number
  /** A handler is not started later than this after the receipt of its message. */
  readonly startWithinMs: number
  readonly shortHoldMs: number
  readonly retryJitterMs: number
  readonly statusTable: StatusTable
  readonly poisonLimit: number | undefined
  /** Undefined: the broker's, if nobody set another. */
  readonly deliveryLimit: number | false | undefined
  readonly requireProof: boolean
  readonly breaker: BreakerPolicy
  readonly decode: BodyDecoder
  readonly middleware: readonly Middleware[]
  readonly service: string | undefined
  readonly host: string
  readonly priority: number | undefined
  readonly exclusive: boolean
  /** Undefined where the queue is no stream. */
  readonly streamOffset: StreamOffset | undefined
  readonly tracing: TracingApi | undefined
  readonly clock: Clock
  readonly random: () => number
}

/** With less the broker mostly waits for acks; with more it gains little, and other consumers get less of the work. */
const quickPrefetch = 100

export function settleConsumerOptions(options: ConsumerOptions, flow: QueueFlow): SettledConsumerOptions {
  checkConsumerOptions(options)
  const concurrency = options.concurrency ?? 10
  const times = chooseTimes(options)
  const prefetch = options.prefetch ?? defaultPrefetch(concurrency, times)
  if (prefetch < concurrency) {
    throw new InvalidArgumentError(
      `prefetch is ${prefetch}; it must be from ${concurrency} (the concurrency) to ${mostPrefetch}.`,
    )
  }
  return {
    concurrency,
    prefetch,
    orderBy: options.orderBy,
    ...times,
    shortHoldMs: Math.min(times.longestHoldMs, parseDuration(options.holdUpTo ?? '30s')),
    retryJitterMs: chooseJitter(options.retryJitter, times),
    statusTable: chooseStatusTable(options.statusTable, flow),
    poisonLimit: choosePoisonLimit(options.poisonLimit, flow),
    deliveryLimit: options.deliveryLimit,
    requireProof: options.requireProof ?? false,
    breaker: chooseBreaker(options.breaker ?? false),
    decode: chooseDecoder(options.decode ?? 'auto', flow),
    middleware: chooseMiddleware(options),
    service: options.service,
    host: options.host ?? hostname(),
    priority: options.priority,
    exclusive: options.exclusive ?? false,
    streamOffset: chooseOffset(options.streamOffset, flow),
    tracing: options.tracing,
    clock: options.clock ?? realClock,
    random: options.random ?? random,
  }
}

/** A duplicate is stopped before anything else runs, and a body is judged last, when it is what the handler gets. */
function chooseMiddleware({
  dedupe: store,
  schema,
  middleware = [],
}: ConsumerOptions): readonly Middleware[] {
  return [
    ...(store === undefined ? [] : [dedupe(store)]),
    ...middleware,
    ...(schema === undefined ? [] : [validateBody(schema)]),
  ]
}

type Times = Pick<SettledConsumerOptions, 'timeoutMs' | 'longestHoldMs' | 'startWithinMs'>

/** Waiting and handling together end before the broker's timeout, so it is never reached. */
function chooseTimes({ timeout, ackTimeout = '30m' }: ConsumerOptions): Times {
  const ackTimeoutMs = parseDuration(ackTimeout)
  const longestHoldMs = Math.min(Math.floor(ackTimeoutMs * 0.8), longestTimerMs)
  if (timeout === undefined) {
    return { timeoutMs: longestHoldMs, longestHoldMs, startWithinMs: Math.floor(longestHoldMs / 2) }
  }
  const timeoutMs = parseDuration(timeout)
  // The tenth between is for the wait: without any, a message that comes a moment too late would never be started.
  const longestMs = Math.floor((longestHoldMs / 8) * 7)
  if (timeoutMs > longestMs) {
    throw new InvalidArgumentError(
      `timeout is ${timeoutMs} ms; with an ackTimeout of ${ackTimeoutMs} ms, a handler may take ${longestMs} ms at most. ` +
        "Raise the broker's consumer_timeout, and ackTimeout with it.",
    )
  }
  return { timeoutMs, longestHoldMs, startWithinMs: longestHoldMs - timeoutMs }
}

/** What is held so long that its handler could not have its time any more would be given back instead, again and again. */
function chooseJitter(choice: Duration = 0, { startWithinMs }: Times): number {
  const jitterMs = parseDuration(choice)
  if (jitterMs <= startWithinMs) return jitterMs
  throw new InvalidArgumentError(
    `retryJitter is ${jitterMs} ms; with this timeout and ackTimeout a message may wait ${startWithinMs} ms at most.`,
  )
}

function chooseStatusTable(choice: ConsumerOptions['statusTable'], { layout }: QueueFlow): StatusTable {
  if (choice === undefined) return layout === 'event-bus' ? statusTables['event-bus'] : statusTables.warren
  return typeof choice === 'string' ? statusTables[choice] : choice
}

/** If messages that are too early are requeued, a redelivery says nothing about a crash. */
function choosePoisonLimit(
  choice: ConsumerOptions['poisonLimit'],
  { queue, defer }: QueueFlow,
): number | undefined {
  if (choice === false) return undefined
  if (defer.short !== 'sleep-and-requeue') return choice ?? 10
  if (choice === undefined) return undefined
  throw new InvalidArgumentError(
    `poisonLimit is ${choice}, but "${queue}" is a classic queue of the layout event-bus. Messages that are too early are ` +
      'requeued there, which looks like a crash. Leave poisonLimit out, or make the queue quorum (without `exact`).',
  )
}

function chooseOffset(
  choice: StreamOffset | undefined,
  { queue, declared = [] }: QueueFlow,
): StreamOffset | undefined {
  const type = declared.find(({ name }) => name === queue)?.type
  if (type === 'stream') return choice ?? 'next'
  if (choice === undefined || type === undefined) return choice
  throw new InvalidArgumentError(
    `streamOffset is for streams, and "${queue}" is a ${type} queue. Leave it out, or declare the queue with "type: stream".`,
  )
}

const defaultBreaker: BreakerPolicy = {
  failureRatio: undefined,
  minimumResults: 20,
  windowMs: 30_000,
  openMs: 1_000,
  maxOpenMs: 60_000,
}

function chooseBreaker(choice: boolean | BreakerOptions): BreakerPolicy {
  if (choice === false) return defaultBreaker
  const said: Partial<BreakerPolicy> =
    choice === true ? {} : readTimes('breaker', choice, ['window', 'open', 'maxOpen'])
  const openMs = said.openMs ?? defaultBreaker.openMs
  const maxOpenMs = said.maxOpenMs ?? Math.max(openMs, defaultBreaker.maxOpenMs)
  if (openMs > maxOpenMs) {
    throw new InvalidArgumentError(
      `breaker.openMs is ${openMs}; it must be at most breaker.maxOpenMs, which is ${maxOpenMs}.`,
    )
  }
  return {
    // Undefined is an answer here: failures alone never open it.
    failureRatio: 'failureRatio' in said ? said.failureRatio : 0.5,
    minimumResults: said.minimumResults ?? defaultBreaker.minimumResults,
    windowMs: said.windowMs ?? defaultBreaker.windowMs,
    openMs,
    maxOpenMs,
  }
}

function chooseDecoder(choice: NonNullable<ConsumerOptions['decode']>, { queue }: QueueFlow): BodyDecoder {
  if (typeof choice === 'function') return choice
  return choice === 'json' ? decodeJson : createDecoder(queue)
}

/** What waits for its turn for too long is given back, and a broker counts that; so no more than surely get theirs. */
function defaultPrefetch(concurrency: number, { timeoutMs, startWithinMs }: Times): number {
  const startedInTime = Math.floor((startWithinMs / timeoutMs) * concurrency)
  return Math.min(mostPrefetch, Math.max(concurrency * 2, Math.min(quickPrefetch, startedInTime)))
}
