import { setMaxListeners } from 'node:events'
import type { AmqpChannel } from '../broker/amqp/channel.ts'
import type { Delivery } from '../broker/amqp/delivery.ts'
import { Session } from '../broker/amqp/session.ts'
import type { SupervisedChannel } from '../broker/amqp/supervised-channel.ts'
import { longestTimerMs } from '../clock.ts'
import type { ConsumerError } from '../errors.ts'
import { createEvents, type EventSource, type Events } from '../events.ts'
import { type BrokerVersion, parseBrokerVersion } from '../message/broker-version.ts'
import { type Duration, parseDuration } from '../message/duration.ts'
import { refuseUnknown } from '../message/refuse-unknown.ts'
import { Publisher } from '../publisher/publisher.ts'
import type { NameMessage } from '../topology/name-message.ts'
import type { QueueFlow } from '../topology/queue-flow.ts'
import { setImmediate } from '../world.ts'
import { checkHandler } from './check-consumer-options.ts'
import { closingError } from './closing-error.ts'
import type { ConsumerParts } from './consumer-parts.ts'
import { type Handler, wrapHandler } from './handler.ts'
import type { BreakerKind, ConsumerEvents } from './observe/consumer-events.ts'
import { type ConsumerWarnings, createConsumerWarnings } from './observe/consumer-warnings.ts'
import { createRunTracing } from './observe/run-tracing.ts'
import { type Audience, deliveryEvent, tellResult, tellUnplaced } from './observe/tell-result.ts'
import { createGiveBackMemory } from './remember/give-back-memory.ts'
import { createLostAckMemory } from './remember/lost-ack-memory.ts'
import { type Memories, rememberResult } from './remember/remember-result.ts'
import { type BodyLimit, createBodyLimit } from './run/body-limit.ts'
import { type Breaker, createBreaker } from './run/breaker.ts'
import type { RunListener } from './run/delivery-result.ts'
import { createHandling, type Handling, handleDelivery, mayBegin } from './run/handle-delivery.ts'
import { createOversizedHold, type OversizedHold } from './run/oversized-hold.ts'
import { createRun, type Run, type RunReading } from './run/run.ts'
import { Runs } from './run/runs.ts'
import { createStartGate } from './run/start-gate.ts'
import { createStreamPosition, type StreamPosition } from './run/stream-position.ts'
import { subscribe } from './run/subscribe.ts'
import { Subscription } from './run/subscription.ts'
import { createTurnClock } from './run/turn-clock.ts'
import { createLimitWatch, type LimitWatch } from './settle/limit-watch.ts'
import { type SettledConsumerOptions, settleConsumerOptions } from './settle-consumer-options.ts'
import { WayProver } from './way-out/way-prover.ts'

/** Handlers that end within this time after a close do so before anything is given back, in milliseconds. */
const quickHandlersMs = 500

// It owns the channel and says who listens to whom. Handling does not call it: a result goes to the runs and from there to
// breaker, memories and events. What still comes up from below are a change of the breaker and the opening of the start
// gate, which wake the runs, and a delivery limit that is found: all three happen at times of their own.
/** Takes messages of one queue, hands them to its handler, and settles each. Made by `startConsumer`. */
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
  readonly #handling: Handling
  readonly #runs: Runs
  readonly #memories: Memories
  readonly #breaker: Breaker
  readonly #limitWatch: LimitWatch
  readonly #bodyLimit: BodyLimit = createBodyLimit()
  readonly #oversized: OversizedHold
  readonly #warnings: ConsumerWarnings
  readonly #audience: Audience
  readonly #ending = new AbortController()
  readonly #channel: SupervisedChannel
  readonly #subscription: Subscription = new Subscription({
    subscribe: (channel) => this.#subscribe(channel),
    started: () => this.#started(),
  })
  readonly #position: StreamPosition
  readonly #onQuiet: () => void
  #state: 'running' | 'closing' | 'closed' = 'running'
  #closed: Promise<void> | undefined
  #version: BrokerVersion

  /** @internal */
  constructor(parts: ConsumerParts) {
    const { consuming, publishing, flow, wayLook, handler, options = {} } = parts
    this.queue = flow.queue
    this.events = this.#emit
    this.#warnings = createConsumerWarnings(flow.queue)
    this.#session = consuming
    this.#flow = flow
    setMaxListeners(0, this.#ending.signal) // each copy that waits for its next try listens to it
    checkHandler(handler)
    this.#options = settleConsumerOptions(options, flow)
    this.#position = createStreamPosition(this.#options.streamOffset)
    this.#onQuiet = parts.onQuiet ?? (() => undefined)
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
    this.#memories = { lostAcks: createLostAckMemory({ clock, prefetch }), giveBacks: createGiveBackMemory() }
    this.#breaker = createBreaker({ policy, clock, onChange: (change) => this.#breakerChanged(change) })
    this.#audience = { queue: flow.queue, events: this.#emit, warnings: this.#warnings, clock }
    this.#runs = new Runs({
      queue: this.queue,
      options: this.#options,
      breaker: this.#breaker,
      mayBegin: (run) => mayBegin(run, this.#receivedAt, this.#handling),
      handle: (run) => handleDelivery(run, this.#handling),
      tell: (run, result) => {
        this.#breaker.ended(run, result)
        if (this.#state === 'running') rememberResult(run, result, this.#memories) // afterwards nothing comes again
        this.#position.ended(run, result)
        tellResult(run, result, this.#audience)
      },
    })
    this.#handling = this.#createHandling(handler, parts.nameOf)
    this.#channel = consuming.superviseChannel(`consumer ${flow.queue}`, (channel) => this.#setUp(channel))
  }

  /**
   * Resolves when messages can arrive; also after a reconnect.
   * @example
   * ```ts
   * await consumer.whenStarted()
   * ```
   */
  async whenStarted(): Promise<void> {
    await this.#channel.whenOpen()
  }

  /** Whether the breaker lets messages through. */
  get breaker(): BreakerKind {
    return this.#breaker.kind()
  }

  /** The messages it holds at this moment. */
  get counts(): { readonly waiting: number; readonly running: number; readonly held: number } {
    return this.#runs.counts
  }

  /** It is paused, and takes no messages. */
  get isPaused(): boolean {
    return this.#subscription.isPaused
  }

  /** Messages can arrive. */
  get isStarted(): boolean {
    return this.#subscription.consumerTag !== undefined
  }

  /**
   * Takes no more messages until `resume`: gives back what has not begun, and resolves when what runs has come to its end.
   * @example
   * ```ts
   * await consumer.pause()
   * ```
   */
  async pause(): Promise<void> {
    if (this.#state !== 'running' || this.isPaused) return
    this.#runs.stopStarting()
    await this.#subscription.pause()
    if (!this.isPaused || this.#state !== 'running') return
    this.#runs.giveBackUnstarted()
    this.#onQuiet()
    this.#emit.emit('consumer.paused', { queue: this.queue })
    await this.#runs.whenIdle(longestTimerMs)
    this.#channel.current?.flushAcks()
  }

  /**
   * Takes messages again. Resolves when they can arrive.
   * @example
   * ```ts
   * await consumer.resume()
   * ```
   */
  async resume(): Promise<void> {
    if (this.#state !== 'running' || !this.isPaused) return
    this.#runs.startAgain()
    await this.#subscription.resume()
    await this.whenStarted()
    this.#emit.emit('consumer.resumed', { queue: this.queue })
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
    this.#onQuiet()
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

  async #cancel(deadlineMs: number): Promise<void> {
    if (this.isPaused) return // and what runs still needs its channel
    // Not subscribed, so there is nothing that a channel could settle: no other one is to come.
    if (this.#subscription.consumerTag === undefined) void this.#channel.close()
    await this.#subscription.end(deadlineMs, this.#options.clock)
  }

  async #setUp(channel: AmqpChannel): Promise<void> {
    if (this.#state !== 'running') return
    this.#bodyLimit.forget()
    channel.events.on('closed', ({ error }) => this.#channelLost(error))
    // The queue or its node is gone, and the broker has forgotten these deliveries. Another channel starts again.
    channel.events.on('cancelled', () => void channel.close())
    await this.#subscription.begin(channel)
  }

  async #subscribe(channel: AmqpChannel): Promise<string> {
    try {
      this.#version = parseBrokerVersion(this.#session.broker.version)
      const onOversized = (delivery: Delivery) => {
        this.#warnings.tooLarge(delivery.bodyBytes)
        this.#oversized.take(delivery)
      }
      const how = {
        way: this.#way,
        options: this.#options,
        offset: this.#position.offset(),
        receive: this.#receive,
        onOversized,
      }
      const { consumerTag, doubt } = await subscribe({ channel, ...how })
      if (doubt) this.#unproved(doubt)
      return consumerTag
    } catch (error) {
      if (this.#state === 'running') this.#startFailed(error as Error)
      throw error
    }
  }

  #started(): void {
    // Closed while the broker was asked: the channel is closed already, and with it what it brought is given back.
    if (this.#state !== 'running') return
    this.#limitWatch.begin()
    this.#emit.emit('consumer.started', { queue: this.queue })
    // One turn later: a message may have arrived with the reply, and the caller who awaits the start wants to listen
    // first.
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
    const wasStarted = this.#subscription.lost()
    this.#oversized.forget()
    this.#position.lost()
    const stillRunning = this.#runs.dropStale()
    if (this.#state !== 'running') {
      // What runs cannot be settled by any other channel, and one that consumes would only get what it must return.
      void this.#channel.close()
      return
    }
    this.#memories.lostAcks.channelLost(stillRunning)
    if (wasStarted) this.#emit.emit('consumer.interrupted', { queue: this.queue, error })
  }

  readonly #receive = (delivery: Delivery): void => {
    if (this.#state !== 'running' || this.isPaused) {
      delivery.nack({ requeue: true }) // the cancel went before it, so that it does not come here again
      return
    }
    if (delivery.isRedelivered && this.#isKnown(delivery)) return
    const run = this.#createRun(delivery)
    this.#position.received(run)
    const { retryJitterMs, random } = this.#options
    if (this.#limitWatch.isUrgent(run)) this.#runs.addUrgent(run)
    else if (retryJitterMs > 0 && run.failedBefore > 0)
      this.#runs.holdUntil(run, run.receivedAtMs + Math.floor(random() * retryJitterMs), 'run')
    else this.#runs.add(run)
  }

  /** One turn later, because the caller who awaits the start wants to listen first. */
  #limitFound(deliveryLimit: number): void {
    this.#warnings.dropsOver(deliveryLimit)
    setImmediate(() => this.#emit.emit('consumer.limited', { queue: this.queue, deliveryLimit }))
  }

  /** Work of this process whose channel was lost: done, or still at it. */
  #isKnown(delivery: Delivery): boolean {
    const { lostAcks } = this.#memories
    const known = lostAcks.take(delivery)
    if (known === undefined) return false
    if (known !== 'done') {
      known.delivery = delivery
      known.version = this.#version
      return true
    }
    delivery.ack()
    lostAcks.acknowledged(delivery)
    this.#emit.emit('delivery.remembered', deliveryEvent(this.#createRun(delivery), this.queue))
    return true
  }

  #createRun(delivery: Delivery): Run {
    const givenBack = delivery.isRedelivered ? this.#memories.giveBacks.take(delivery) : undefined
    return createRun(delivery, this.#reading, {
      version: this.#version,
      givenBack,
      nowMs: this.#receivedAt(),
    })
  }

  #breakerChanged(change: { readonly from: BreakerKind; readonly to: BreakerKind }): void {
    this.#emit.emit('breaker.changed', { queue: this.queue, ...change })
    if (change.to !== 'open') this.#runs.pump()
  }

  /** What a run reports before its result; the result itself frees its place first. */
  #createListener(): RunListener {
    return {
      decided: (run, outcome) => {
        run.span?.end(outcome)
        this.#breaker.decided(run, outcome)
      },
      unplaced: (run, copy) => {
        tellUnplaced(run, copy, this.#audience)
        if (copy.isPlaceAtFault) this.#breaker.unplaced()
      },
      ended: (run, result) => this.#runs.ended(run, result),
    }
  }

  #createHandling(handler: Handler, nameOf: NameMessage | undefined): Handling {
    const flow = this.#flow
    const options = { ...this.#options, nameOf }
    const { clock, concurrency, statusTable, middleware, tracing } = options
    const { held, deadlines } = this.#runs
    return createHandling({
      flow,
      options,
      handler: wrapHandler(handler, middleware),
      surroundings: { flow, statusTable, beginsNow: deadlines.beginsNow },
      publisher: this.#publisher,
      bodyLimit: this.#bodyLimit,
      login: this.#session.connection?.endpoint.username,
      limitRule: this.#limitWatch.rule,
      tracing: tracing && createRunTracing(tracing, () => this.#session.connection?.endpoint),
      gate: createStartGate({
        clock,
        concurrency,
        output: () => this.#subscription.channel?.output,
        reopened: () => this.#runs.pump(),
      }),
      held,
      ending: this.#ending.signal,
      listener: this.#createListener(),
    })
  }
}
