import { setMaxListeners } from 'node:events'
import { hostname } from 'node:os'
import type { AmqpChannel } from '../broker/amqp/channel.ts'
import type { Delivery } from '../broker/amqp/delivery.ts'
import { Session } from '../broker/amqp/session.ts'
import type { SupervisedChannel } from '../broker/amqp/supervised-channel.ts'
import { ConsumerError } from '../errors.ts'
import { createEvents, type EventSource, type Events } from '../events.ts'
import { type BrokerVersion, parseBrokerVersion } from '../message/broker-version.ts'
import { type Duration, parseDuration } from '../message/duration.ts'
import { refuseUnknown } from '../message/refuse-unknown.ts'
import { Publisher } from '../publisher/publisher.ts'
import type { QueueFlow } from '../topology/queue-flow.ts'
import { checkHandler } from './check-consumer-options.ts'
import type { ConsumerOptions } from './consumer-options.ts'
import { isTransientFailure, isUnread, type Outcome } from './decide/decide-outcome.ts'
import { type Handler, wrapHandler } from './handler.ts'
import type { BreakerKind, ConsumerEvents, DeliveryEvent } from './observe/consumer-events.ts'
import { type ConsumerWarnings, createConsumerWarnings } from './observe/consumer-warnings.ts'
import { createRunTracing } from './observe/run-tracing.ts'
import { createGiveBackMemory, type GiveBackMemory } from './remember/give-back-memory.ts'
import { createLostAckMemory, type LostAckMemory } from './remember/lost-ack-memory.ts'
import { type BodyLimit, createBodyLimit } from './run/body-limit.ts'
import { type Breaker, createBreaker } from './run/breaker.ts'
import {
  conclude,
  type FailedSettle,
  type Handled,
  type HandlingPorts,
  handleDelivery,
  mayBegin,
} from './run/handle-delivery.ts'
import { createOversizedHold, type OversizedHold } from './run/oversized-hold.ts'
import { pause } from './run/pause.ts'
import { attemptOf, createRun, type Run, type RunReading } from './run/run.ts'
import { Runs } from './run/runs.ts'
import { createStartGate } from './run/start-gate.ts'
import { type Subscription, subscribe } from './run/subscribe.ts'
import { createTurnClock } from './run/turn-clock.ts'
import { createLimitWatch, type LimitWatch } from './settle/limit-watch.ts'
import { type Settlement, settleAtOnce } from './settle/settlement.ts'
import { type SettledConsumerOptions, settleConsumerOptions } from './settle-consumer-options.ts'
import type { WayLook } from './way-out/way-look.ts'
import { WayProver } from './way-out/way-prover.ts'

export interface ConsumerParts {
  readonly consuming: Session
  /** A session gets a publisher of its own. Use another connection than the consuming one: a blocked publisher is not read. */
  readonly publishing: Publisher | Session
  readonly flow: QueueFlow
  /** Who is asked for what AMQP does not show of the way of a failed message; undefined: nobody. */
  readonly wayLook?: WayLook | undefined
  readonly handler: Handler
  readonly options?: ConsumerOptions
}

/** Handlers that end within this time after a close do so before anything is given back, in milliseconds. */
const quickHandlersMs = 500

/** Takes messages of one queue to its handler, and each of them to an end. Made by `startConsumer`. */
export class Consumer {
  /** The queue, by its name on the broker. */
  readonly queue: string
  /** What happens to the consumer and its messages. */
  readonly events: Events<ConsumerEvents>
  readonly #emit: EventSource<ConsumerEvents> = createEvents<ConsumerEvents>()
  readonly #session: Session
  readonly #flow: QueueFlow
  readonly #way: WayProver
  readonly #options: SettledConsumerOptions
  readonly #reading: RunReading
  readonly #receivedAt: () => number
  readonly #publisher: Publisher
  readonly #ownsPublisher: boolean
  readonly #ports: HandlingPorts
  readonly #runs: Runs
  readonly #memory: LostAckMemory
  readonly #givenBack: GiveBackMemory = createGiveBackMemory()
  readonly #breaker: Breaker
  readonly #limitWatch: LimitWatch
  readonly #bodyLimit: BodyLimit = createBodyLimit()
  readonly #oversized: OversizedHold
  readonly #warnings: ConsumerWarnings
  readonly #ending = new AbortController()
  readonly #channel: SupervisedChannel
  #state: 'running' | 'closing' | 'closed' = 'running'
  #closed: Promise<void> | undefined
  #subscription: Subscription | undefined
  #version: BrokerVersion

  /** @internal */
  constructor({ consuming, publishing, flow, wayLook, handler, options = {} }: ConsumerParts) {
    this.queue = flow.queue
    this.events = this.#emit
    this.#warnings = createConsumerWarnings(flow.queue)
    this.#session = consuming
    this.#flow = flow
    setMaxListeners(0, this.#ending.signal) // each copy that waits for its next try listens to it
    checkHandler(handler)
    this.#options = settleConsumerOptions(options, flow)
    const { requireProof } = this.#options
    this.#way = new WayProver({ flow, session: consuming, look: wayLook, requireProof })
    this.#oversized = createOversizedHold(this.#options)
    const { clock, prefetch, decode, orderBy, breaker: policy } = this.#options
    const hasPoison = this.#options.poisonLimit !== undefined && flow.park !== undefined
    this.#reading = { decode, orderBy, attempts: flow.attempts, hasPoison }
    this.#receivedAt = createTurnClock(clock)
    this.#ownsPublisher = publishing instanceof Session
    this.#publisher = publishing instanceof Session ? new Publisher(publishing) : publishing
    this.#version = parseBrokerVersion(consuming.broker.version)
    this.#limitWatch = createLimitWatch({
      flow,
      deliveryLimit: this.#options.deliveryLimit,
      found: (limit) => this.#limitFound(limit),
    })
    this.#memory = createLostAckMemory({ clock, prefetch })
    this.#breaker = createBreaker({ policy, clock, onChange: (change) => this.#breakerChanged(change) })
    this.#ports = this.#createPorts(handler)
    this.#runs = new Runs({
      queue: this.queue,
      options: this.#options,
      breaker: this.#breaker,
      mayBegin: (run) => mayBegin(run, this.#receivedAt, this.#ports),
      handle: (run) => handleDelivery(run, this.#ports),
      giveBack: (run) => this.#giveBack(run),
    })
    this.#channel = consuming.superviseChannel(`consumer ${flow.queue}`, (channel) => this.#setUp(channel))
  }

  /** Resolves when messages can arrive; also after a reconnect. */
  async whenStarted(): Promise<void> {
    await this.#channel.whenOpen()
  }

  /** Whether the breaker lets messages through. */
  get breaker(): BreakerKind {
    return this.#breaker.kind
  }

  /** What it has in its hands at this moment. */
  get counts(): { readonly waiting: number; readonly running: number; readonly held: number } {
    return this.#runs.counts
  }

  /**
   * Takes no more, gives back what has not begun, lets what runs come to its end, and closes. After the deadline
   * the signals of the handlers are aborted and their messages go back to the queue too. Safe to call twice.
   * @example
   * ```ts
   * await consumer.close({ deadline: '10s' })
   * ```
   */
  async close(options: { readonly deadline?: Duration } = {}): Promise<void> {
    refuseUnknown('close()', options, { deadline: true })
    this.#closed ??= this.#close(parseDuration(options.deadline ?? '30s'))
    await this.#closed
  }

  /** `await using consumer = await warren.consume(…)` closes it at the end of the block. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  async #close(deadlineMs: number): Promise<void> {
    this.#state = 'closing'
    this.#runs.stopStarting()
    const { clock } = this.#options
    const endsAtMs = clock.now() + deadlineMs
    const leftMs = () => Math.max(0, endsAtMs - clock.now())
    await this.#cancel(deadlineMs)
    // First what runs, then what is given back: a quorum queue takes commands of a channel one by one, and an ack
    // that waits behind many nacks is lost when the channel closes. Slow handlers do not keep the others waiting.
    await this.#runs.whenIdle(Math.min(leftMs(), quickHandlersMs))
    this.#channel.current?.flushAcks()
    this.#runs.giveBackUnstarted()
    await this.#runs.whenIdle(leftMs())
    const unfinished = this.counts.running
    this.#ending.abort()
    this.#runs.abort(closingError(this.queue))
    // Before the messages go back: a copy that is sent later would be one more.
    if (this.#ownsPublisher) await this.#publisher.close({ deadline: leftMs() })
    await this.#channel.close(leftMs())
    this.#oversized.forget()
    this.#breaker.stop()
    this.#state = 'closed'
    this.#emit.emit('consumer.closed', { queue: this.queue, unfinished })
  }

  /** Asks for no more messages. A broker that does not answer is not waited for beyond the deadline. */
  async #cancel(deadlineMs: number): Promise<void> {
    const { channel, consumerTag } = this.#subscription ?? {}
    // Not subscribed, so there is nothing that a channel could settle: no other one is to come.
    if (consumerTag === undefined) void this.#channel.close()
    if (channel === undefined) return
    const isDone = new AbortController()
    await Promise.race([
      consumerTag === undefined ? channel.close() : channel.cancel(consumerTag).catch(() => undefined),
      pause(deadlineMs, { clock: this.#options.clock, signal: isDone.signal }),
    ])
    isDone.abort()
  }

  async #setUp(channel: AmqpChannel): Promise<void> {
    if (this.#state !== 'running') return
    const subscription: Subscription = { channel, consumerTag: undefined }
    this.#subscription = subscription
    this.#bodyLimit.forget()
    channel.events.on('closed', ({ error }) => this.#channelLost(error))
    // The queue is gone or its node is; what was delivered belongs to nobody now. Another channel starts anew.
    channel.events.on('cancelled', () => void channel.close())
    try {
      this.#version = parseBrokerVersion(this.#session.broker.version)
      const onOversized = (delivery: Delivery) => {
        this.#warnings.tooLarge(delivery.bodyBytes)
        this.#oversized.take(delivery)
      }
      const unproved = (error: ConsumerError) => this.#unproved(error)
      const how = { way: this.#way, options: this.#options, receive: this.#receive, onOversized }
      subscription.consumerTag = await subscribe({ channel, ...how, unproved })
    } catch (error) {
      if (this.#state === 'running') this.#startFailed(error as Error)
      throw error
    }
    // Closed while the broker was asked: the channel is closed already, and with it what it brought is given back.
    if (this.#state !== 'running') return
    this.#limitWatch.begin()
    this.#emit.emit('consumer.started', { queue: this.queue })
    // A turn later: a message may have come with the answer, and whoever waits for the start wants to listen first.
    setImmediate(() => this.#runs.begin())
  }

  #startFailed(error: Error): void {
    this.#emit.emit('consumer.start-failed', { queue: this.queue, error })
    this.#warnings.startFailed(error)
  }

  /** A turn later, as below. */
  #unproved(error: ConsumerError): void {
    this.#warnings.unproved(error)
    setImmediate(() => this.#emit.emit('consumer.unproved', { queue: this.queue, error }))
  }

  #channelLost(error: Error | undefined): void {
    const wasStarted = this.#subscription?.consumerTag !== undefined
    this.#subscription = undefined
    this.#oversized.forget()
    const stillRunning = this.#runs.dropStale()
    if (this.#state !== 'running') {
      // What runs cannot be settled by any other channel, and one that consumes would only get what it must return.
      void this.#channel.close()
      return
    }
    this.#memory.channelLost(stillRunning)
    if (wasStarted) this.#emit.emit('consumer.interrupted', { queue: this.queue, error })
  }

  readonly #receive = (delivery: Delivery): void => {
    if (this.#state !== 'running') {
      delivery.nack({ requeue: true }) // the cancel went before it, so that it does not come here again
      return
    }
    if (delivery.isRedelivered && this.#isKnown(delivery)) return
    const run = this.#createRun(delivery)
    const { retryJitterMs, random } = this.#options
    if (this.#limitWatch.isUrgent(run, this.#version)) this.#runs.addUrgent({ ...run, orderKey: undefined })
    else if (retryJitterMs > 0 && run.failedBefore > 0)
      this.#runs.holdUntil(run, run.receivedAtMs + Math.floor(random() * retryJitterMs), 'run')
    else this.#runs.add(run)
  }

  /** A turn later, because whoever waits for the start wants to listen first. */
  #limitFound(deliveryLimit: number): void {
    this.#warnings.dropsOver(deliveryLimit)
    setImmediate(() => this.#emit.emit('consumer.limited', { queue: this.queue, deliveryLimit }))
  }

  /** Work of this process whose channel was lost: done, or still at it. */
  #isKnown(delivery: Delivery): boolean {
    const known = this.#memory.take(delivery)
    if (known === undefined) return false
    if (known !== 'done') {
      known.delivery = delivery
      return true
    }
    delivery.ack()
    this.#memory.acknowledged(delivery)
    this.#emit.emit('delivery.remembered', this.#eventOf(this.#createRun(delivery)))
    return true
  }

  #createRun(delivery: Delivery): Run {
    const givenBack = delivery.isRedelivered ? this.#givenBack.take(delivery) : undefined
    return createRun(delivery, this.#reading, {
      version: this.#version,
      givenBack,
      nowMs: this.#receivedAt(),
    })
  }

  #ended(run: Run, { outcome, settlement }: Handled): void {
    if (outcome.kind === 'hold' && outcome.why === 'probe-failed' && this.#canWait(run)) {
      this.#emit.emit('delivery.held', { ...this.#eventOf(run), outcome })
      this.#runs.putBack(run)
      this.#runs.pump()
      return
    }
    const isMarked = outcome.kind === 'recount' && outcome.why === 'alone'
    this.#runs.ended(run, { isBackSoon: isMarked && settlement?.kind === 'settled' })
    if (settlement) this.#settled(run, outcome, settlement)
    else if (outcome.kind === 'hold') this.#hold(run, outcome)
    else if (outcome.kind === 'requeue') this.#holdUntil(run, outcome.atMs, 'give-back')
    this.#runs.pumpAfter(run)
  }

  #canWait(run: Run): boolean {
    return this.#state === 'running' && run.delivery.isCurrent
  }

  #settled(run: Run, outcome: Handled['outcome'], settlement: Settlement): void {
    if (settlement.kind === 'settled') {
      if (run.probes === 'unsettled' && outcome.kind !== 'give-back')
        this.#breaker.step({ kind: 'succeeded', isProbe: true, atMs: this.#options.clock.now() })
      if (settlement.isAcknowledged) this.#memory.acknowledged(run.delivery)
      this.#noteGiveBack(run, outcome)
      if (this.#emit.listenerCount('delivery.settled') === 0) return
      const { startedAtMs } = run
      const durationMs = startedAtMs === undefined ? undefined : this.#options.clock.now() - startedAtMs
      this.#emit.emit('delivery.settled', { ...this.#eventOf(run), outcome, durationMs })
      return
    }
    const isDone = outcome.kind === 'acknowledge' || (settlement.kind === 'stale' && settlement.isPublished)
    if (isDone) this.#memory.handled(run.delivery)
    else this.#memory.forget(run.delivery)
    this.#emit.emit('delivery.stale', { ...this.#eventOf(run), outcome })
  }

  #noteGiveBack(run: Run, { kind }: Handled['outcome']): void {
    if (kind !== 'give-back') {
      if (run.givenBack) this.#givenBack.forget(run.delivery)
    } else if (this.#state === 'running') this.#givenBack.gaveBack(run.delivery) // afterwards nothing comes again
  }

  #hold(run: Run, outcome: Outcome & { kind: 'hold' }): void {
    if (outcome.why === 'no-way-out') {
      run.localFailures += 1
      this.#warnings.noWayOut()
    }
    this.#emit.emit('delivery.held', { ...this.#eventOf(run), outcome })
    this.#holdUntil(run, outcome.untilMs, 'run')
  }

  #holdUntil(run: Run, untilMs: number, then: 'run' | 'give-back'): void {
    if (run.delivery.isCurrent) this.#runs.holdUntil(run, untilMs, then)
    else this.#memory.forget(run.delivery) // its channel went while its handler ran
  }

  #giveBack(run: Run): void {
    const outcome = { kind: 'give-back' } as const
    this.#settled(run, outcome, settleAtOnce(run, outcome)!)
  }

  #notRecounted(run: Run): void {
    this.#runs.ended(run)
    // Read anew: what left without its turn had no order key, and now it waits for its turn like any other.
    const again = { ...this.#createRun(run.delivery), ignoresLimit: true, receivedAtMs: run.receivedAtMs }
    if (this.#state === 'running') this.#runs.add(again)
    else this.#giveBack(again)
    this.#runs.pump()
  }

  #settleFailed({ run, outcome, result, nextAttemptMs, isPlaceAtFault }: FailedSettle): void {
    this.#emit.emit('settle.failed', { ...this.#eventOf(run), outcome, result, nextAttemptMs })
    if (isPlaceAtFault) this.#breaker.step({ kind: 'tripped', atMs: this.#options.clock.now() })
  }

  #decided(run: Run, outcome: Outcome): void {
    const { breaker, clock } = this.#options
    if (breaker.failureRatio === undefined || run.probes === 'unsettled') return
    if (run.startedAtMs === undefined || isUnread(outcome)) return
    const kind = isTransientFailure(outcome) ? 'failed' : 'succeeded'
    this.#breaker.step({ kind, isProbe: run.probes === 'failures', atMs: clock.now() })
  }

  #breakerChanged(change: { readonly from: BreakerKind; readonly to: BreakerKind }): void {
    this.#emit.emit('breaker.changed', { queue: this.queue, ...change })
    if (change.to !== 'open') this.#runs.pump()
  }

  #eventOf(run: Run): DeliveryEvent {
    return { queue: this.queue, message: run.message, attempt: attemptOf(run) }
  }

  #createPorts(handler: Handler): HandlingPorts {
    const options = this.#options
    const { clock, random, statusTable, poisonLimit, service, host, middleware, tracing } = options
    return {
      handler: wrapHandler(handler, middleware),
      flow: this.#flow,
      publish: (message) => new Promise((resolve) => this.#publisher.publishEncoded(message, resolve)),
      bodyLimit: this.#bodyLimit,
      login: this.#session.connection?.endpoint.username,
      service,
      host: host ?? hostname(),
      now: () => clock.now(),
      statusTable,
      poisonLimit,
      limitRule: this.#limitWatch.rule,
      brokerVersion: () => this.#version,
      holding: () => ({
        shortMs: options.shortHoldMs,
        longestMs: options.longestHoldMs,
        hasRoom: this.#runs.heldCount < options.prefetch - options.concurrency,
      }),
      random,
      clock,
      tracing: tracing && createRunTracing(tracing),
      gate: createStartGate({
        clock,
        concurrency: options.concurrency,
        output: () => this.#subscription?.channel.output,
        reopened: () => this.#runs.pump(),
      }),
      ending: this.#ending.signal,
      beginsNow: (run) => this.#runs.beginsNow(run),
      answered: (run, result) => conclude(run, result, this.#ports),
      decided: (run, outcome) => this.#decided(run, outcome),
      settleFailed: (failed) => this.#settleFailed(failed),
      notRecounted: (run) => this.#notRecounted(run),
      ended: (run, handled) => this.#ended(run, handled),
    }
  }
}

function closingError(queue: string): ConsumerError {
  return new ConsumerError({
    code: 'CONSUMER_CLOSING',
    message: `The consumer of "${queue}" closes and waits no longer; the message goes back to its queue.`,
  })
}
