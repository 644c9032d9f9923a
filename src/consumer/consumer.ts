import { hostname } from 'node:os'
import type { AmqpChannel } from '../broker/amqp/channel.ts'
import type { Delivery } from '../broker/amqp/delivery.ts'
import { Session } from '../broker/amqp/session.ts'
import type { SupervisedChannel } from '../broker/amqp/supervised-channel.ts'
import { ConsumerError } from '../errors.ts'
import { createEvents, type EventSource, type Events } from '../events.ts'
import { type BrokerVersion, parseBrokerVersion } from '../message/broker-version.ts'
import { countAttempts } from '../message/count-attempts.ts'
import { type Duration, parseDuration } from '../message/duration.ts'
import { Publisher } from '../publisher/publisher.ts'
import type { QueueFlow } from '../topology/queue-flow.ts'
import { toFieldTable } from '../wire/plain-fields.ts'
import { readProperty } from '../wire/properties.ts'
import { type Breaker, createBreaker } from './breaker.ts'
import { DeliveredMessage } from './consumed-message.ts'
import type { BreakerKind, ConsumerEvents, DeliveryEvent } from './consumer-events.ts'
import {
  type ConsumerOptions,
  type SettledConsumerOptions,
  settleConsumerOptions,
} from './consumer-options.ts'
import { createDeadlines, type Deadlines } from './deadlines.ts'
import { isTransientFailure, type Outcome } from './decide-outcome.ts'
import {
  attemptOf,
  type FailedSettle,
  type Handled,
  type HandlingPorts,
  handleDelivery,
  settle,
} from './handle-delivery.ts'
import { type Handler, wrapHandler } from './handler.ts'
import { createHolds, type Holds } from './holds.ts'
import { createLostAckMemory, type LostAckMemory } from './lost-ack-memory.ts'
import { pause } from './pause.ts'
import { newRun, type Run } from './run.ts'
import { failedBy, interruptRun } from './run-handler.ts'
import { createRunQueue, type RunQueue } from './run-queue.ts'
import { verifyQueues } from './verify-queues.ts'

export interface ConsumerParts {
  readonly consuming: Session
  /** A session gets a publisher of its own. Use another connection than the consuming one: a blocked publisher is not read. */
  readonly publishing: Publisher | Session
  readonly flow: QueueFlow
  readonly handler: Handler
  readonly options?: ConsumerOptions
}

/** Takes messages of one queue to its handler, and each of them to an end. Made by `startConsumer`. */
export class Consumer {
  readonly queue: string
  readonly events: Events<ConsumerEvents>
  readonly #emit: EventSource<ConsumerEvents> = createEvents<ConsumerEvents>()
  readonly #session: Session
  readonly #flow: QueueFlow
  readonly #options: SettledConsumerOptions
  readonly #publisher: Publisher
  readonly #ownsPublisher: boolean
  readonly #ports: HandlingPorts
  readonly #waiting: RunQueue<Run> = createRunQueue<Run>((run) => run.orderKey)
  readonly #running = new Set<Run>()
  readonly #holds: Holds<Run>
  readonly #timeouts: Deadlines<Run>
  readonly #overdue: Deadlines<Run>
  readonly #memory: LostAckMemory
  readonly #breaker: Breaker
  readonly #ending = new AbortController()
  readonly #channel: SupervisedChannel
  #state: 'running' | 'closing' | 'closed' = 'running'
  #closed: Promise<void> | undefined
  #consumerTag: string | undefined
  #version: BrokerVersion
  #idle: (() => void) | undefined

  constructor({ consuming, publishing, flow, handler, options = {} }: ConsumerParts) {
    this.queue = flow.queue
    this.events = this.#emit
    this.#session = consuming
    this.#flow = flow
    this.#options = settleConsumerOptions(options, flow)
    this.#ownsPublisher = publishing instanceof Session
    this.#publisher = publishing instanceof Session ? new Publisher(publishing) : publishing
    this.#version = parseBrokerVersion(consuming.broker.version)
    const { clock, timeoutMs, longestHoldMs, prefetch } = this.#options
    this.#holds = createHolds(clock)
    this.#timeouts = createDeadlines({ clock, afterMs: timeoutMs, onDue: (run) => this.#timeOut(run) })
    this.#overdue = createDeadlines({
      clock,
      afterMs: longestHoldMs,
      onDue: (run) => this.#giveBackOverdue(run),
    })
    this.#memory = createLostAckMemory({ clock, prefetch })
    const policy = this.#options.breaker
    this.#breaker = createBreaker({ policy, clock, onChange: (change) => this.#breakerChanged(change) })
    this.#ports = this.#createPorts(handler)
    this.#channel = consuming.superviseChannel(`consumer ${flow.queue}`, (channel) => this.#setUp(channel))
  }

  /** Resolves when messages can arrive; also after a reconnect. */
  async whenStarted(): Promise<void> {
    await this.#channel.whenOpen()
  }

  get breaker(): BreakerKind {
    return this.#breaker.kind
  }

  /** What it has in its hands at this moment. */
  get counts(): { readonly waiting: number; readonly running: number; readonly held: number } {
    return { waiting: this.#waiting.size, running: this.#running.size, held: this.#holds.size }
  }

  /**
   * Takes no more, gives back what has not begun, lets what runs come to its end, and closes. After the deadline
   * the signals of the handlers are aborted and their messages go back to the queue too. Safe to call twice.
   */
  close({ deadline = '30s' }: { readonly deadline?: Duration } = {}): Promise<void> {
    this.#closed ??= this.#close(parseDuration(deadline))
    return this.#closed
  }

  async #close(deadlineMs: number): Promise<void> {
    this.#state = 'closing'
    const stopped = new AbortController()
    const idle = new Promise<void>((resolve) => {
      this.#idle = resolve
    })
    const tag = this.#consumerTag
    if (tag !== undefined) await this.#channel.current?.cancel(tag).catch(() => undefined)
    this.#giveBackUnstarted()
    if (this.#running.size > 0) {
      const late = pause(deadlineMs, { clock: this.#options.clock, signal: stopped.signal })
      await Promise.race([idle, late])
      stopped.abort()
    }
    const unfinished = this.#running.size
    this.#ending.abort()
    for (const run of this.#running) {
      run.abort ??= new AbortController()
      run.abort.abort(closingError(this.queue))
    }
    await this.#channel.close()
    this.#timeouts.stop()
    this.#overdue.stop()
    this.#breaker.stop()
    if (this.#ownsPublisher) await this.#publisher.close()
    this.#state = 'closed'
    this.#emit.emit('consumer.closed', { queue: this.queue, unfinished })
  }

  async #setUp(channel: AmqpChannel): Promise<void> {
    const { prefetch, priority } = this.#options
    channel.events.on('closed', ({ error }) => this.#channelLost(error))
    // The queue is gone or its node is; what was delivered belongs to nobody now. Another channel starts anew.
    channel.events.on('cancelled', () => void channel.close())
    try {
      this.#version = parseBrokerVersion(this.#session.broker.version)
      await verifyQueues(channel, this.#flow)
      await channel.setPrefetch(prefetch)
      const args = priority === undefined ? {} : { arguments: toFieldTable({ 'x-priority': priority }) }
      this.#consumerTag = await channel.consume(this.queue, this.#receive, args)
    } catch (error) {
      this.#emit.emit('consumer.start-failed', { queue: this.queue, error: error as Error })
      throw error
    }
    this.#emit.emit('consumer.started', { queue: this.queue })
  }

  #channelLost(error: Error | undefined): void {
    const wasStarted = this.#consumerTag !== undefined
    this.#consumerTag = undefined
    const isStale = ({ delivery }: Run) => !delivery.isCurrent
    for (const run of this.#waiting.removeWaiting(isStale)) this.#overdue.remove(run)
    for (const run of this.#holds.removeAll(isStale)) this.#overdue.remove(run)
    this.#memory.channelLost([...this.#running].filter(isStale))
    if (wasStarted && this.#state === 'running') {
      this.#emit.emit('consumer.interrupted', { queue: this.queue, error })
    }
  }

  readonly #receive = (delivery: Delivery): void => {
    if (this.#state !== 'running') {
      delivery.nack({ requeue: true })
      return
    }
    if (delivery.isRedelivered && this.#isKnown(delivery)) return
    const run = this.#createRun(delivery)
    this.#overdue.add(run)
    const { retryJitterMs, clock, random } = this.#options
    if (retryJitterMs > 0 && run.failedBefore > 0) {
      this.#holdUntil(run, clock.now() + Math.floor(random() * retryJitterMs))
      return
    }
    this.#waiting.push(run)
    this.#pump()
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
    const message = new DeliveredMessage(delivery, this.#options.decode)
    const attempt = this.#failedAttempts(delivery) + 1
    this.#emit.emit('delivery.remembered', { queue: this.queue, message, attempt })
    return true
  }

  #createRun(delivery: Delivery): Run {
    const message = new DeliveredMessage(delivery, this.#options.decode)
    const order = this.#orderOf(message)
    const failedBefore = this.#failedAttempts(delivery)
    return newRun({ delivery, message, failedBefore, ...order, receivedAtMs: this.#options.clock.now() })
  }

  #orderOf(message: DeliveredMessage): Pick<Run, 'orderKey' | 'refusal'> {
    const { orderBy } = this.#options
    if (!orderBy) return unordered
    try {
      return { orderKey: orderBy(message), refusal: undefined }
    } catch (thrown) {
      return { orderKey: undefined, refusal: failedBy(thrown) }
    }
  }

  #failedAttempts({ properties }: Delivery): number {
    const headers = readProperty(properties, 'headers')
    if (headers === undefined) return 0
    return countAttempts({ headers, rule: this.#flow.attempts, version: this.#version })
  }

  #pump(): void {
    while (this.#mayStart()) {
      const run = this.#waiting.take()
      if (!run) return
      this.#running.add(run)
      run.isProbe = this.#breaker.kind === 'probing'
      run.startedAtMs = this.#options.clock.now()
      this.#timeouts.add(run)
      void this.#handle(run)
    }
  }

  #mayStart(): boolean {
    if (this.#state !== 'running') return false
    switch (this.#breaker.kind) {
      case 'closed':
        return this.#running.size < this.#options.concurrency
      case 'open':
        return false
      case 'probing':
        return ![...this.#running].some(({ isProbe }) => isProbe)
    }
  }

  async #handle(run: Run): Promise<void> {
    const handled = await handleDelivery(run, this.#ports)
    this.#timeouts.remove(run)
    this.#running.delete(run)
    this.#waiting.done(run)
    this.#finish(run, handled)
    this.#pump()
    if (this.#running.size === 0) this.#idle?.()
  }

  #finish(run: Run, { outcome, settlement }: Handled): void {
    if (outcome.kind === 'hold') this.#hold(run, outcome)
    else if (outcome.kind === 'requeue') this.#holdUntil(run, outcome.atMs, () => void this.#giveBack(run))
    else this.#finishSettled(run, { outcome, settlement: settlement! })
  }

  #finishSettled(run: Run, { outcome, settlement }: Handled & { settlement: object }): void {
    this.#overdue.remove(run)
    if (settlement.kind === 'settled') {
      if (settlement.isAcknowledged) this.#memory.acknowledged(run.delivery)
      if (this.#emit.listenerCount('delivery.settled') === 0) return
      const durationMs = this.#options.clock.now() - run.startedAtMs
      this.#emit.emit('delivery.settled', { ...this.#eventOf(run), outcome, durationMs })
      return
    }
    const isDone = outcome.kind === 'acknowledge' || (settlement.kind === 'stale' && settlement.isPublished)
    if (isDone) this.#memory.handled(run.delivery)
    else this.#memory.forget(run.delivery)
    this.#emit.emit('delivery.stale', { ...this.#eventOf(run), outcome })
  }

  #hold(run: Run, outcome: Outcome & { kind: 'hold' }): void {
    if (outcome.why === 'no-way-out') run.localFailures += 1
    this.#emit.emit('delivery.held', { ...this.#eventOf(run), outcome })
    this.#holdUntil(run, outcome.untilMs)
  }

  #holdUntil(run: Run, untilMs: number, then: () => void = () => this.#runAgain(run)): void {
    // Its channel may have gone, or the consumer begun to close, while its handler ran.
    if (!run.delivery.isCurrent) this.#memory.forget(run.delivery)
    else if (this.#state !== 'running') void this.#giveBack(run)
    else this.#holds.add(run, untilMs, then)
  }

  #runAgain(run: Run): void {
    run.abort = undefined
    this.#waiting.push(run)
    this.#pump()
  }

  async #giveBack(run: Run): Promise<void> {
    const handled = await settle(run, { kind: 'give-back' }, this.#ports)
    this.#finishSettled(run, { ...handled, settlement: handled.settlement! })
  }

  #giveBackUnstarted(): void {
    // In the order of their delivery, because a quorum queue serves what is returned in the order of its return.
    const unstarted = [...this.#waiting.removeWaiting(() => true), ...this.#holds.removeAll(() => true)]
    unstarted.sort((left, right) => left.delivery.deliveryTag - right.delivery.deliveryTag)
    for (const run of unstarted) void this.#giveBack(run)
  }

  /** Nothing is kept for so long that the broker would close the channel over it. */
  #giveBackOverdue(run: Run): void {
    const overdue = [
      ...this.#waiting.removeWaiting((waiting) => waiting === run),
      ...this.#holds.removeAll((held) => held === run),
    ]
    for (const each of overdue) void this.#giveBack(each)
  }

  #timeOut(run: Run): void {
    const { timeoutMs } = this.#options
    const message = `The handler of "${this.queue}" did not end within ${timeoutMs} ms.`
    interruptRun(run, new ConsumerError({ code: 'HANDLER_TIMEOUT', message }))
  }

  #settleFailed({ run, outcome, result, nextAttemptMs }: FailedSettle): void {
    this.#emit.emit('settle.failed', { ...this.#eventOf(run), outcome, result, nextAttemptMs })
    this.#breaker.step({ kind: 'tripped', atMs: this.#options.clock.now() })
  }

  #decided(run: Run, outcome: Outcome): void {
    const { breaker, clock } = this.#options
    if (breaker.failureRatio === undefined && this.#breaker.kind === 'closed') return
    const kind = isTransientFailure(outcome) ? 'failed' : 'succeeded'
    this.#breaker.step({ kind, isProbe: run.isProbe, atMs: clock.now() })
  }

  #breakerChanged(change: { readonly from: BreakerKind; readonly to: BreakerKind }): void {
    this.#emit.emit('breaker.changed', { queue: this.queue, ...change })
    if (change.to !== 'open') this.#pump()
  }

  #eventOf(run: Run): DeliveryEvent {
    return { queue: this.queue, message: run.message, attempt: attemptOf(run) }
  }

  #createPorts(handler: Handler): HandlingPorts {
    const { clock, random, statusTable, poisonLimit, service, host, middleware } = this.#options
    return {
      handler: wrapHandler(handler, middleware),
      flow: this.#flow,
      publish: (message) => new Promise((resolve) => this.#publisher.publishEncoded(message, resolve)),
      login: this.#session.connection?.endpoint.username,
      service,
      host: host ?? hostname(),
      now: () => clock.now(),
      statusTable,
      poisonLimit,
      brokerVersion: () => this.#version,
      holding: () => ({
        shortMs: this.#options.shortHoldMs,
        longestMs: this.#options.longestHoldMs,
        hasRoom: this.#holds.size < this.#options.prefetch - this.#options.concurrency,
      }),
      random,
      clock,
      ending: this.#ending.signal,
      decided: (run, outcome) => this.#decided(run, outcome),
      settleFailed: (failed) => this.#settleFailed(failed),
    }
  }
}

const unordered = { orderKey: undefined, refusal: undefined } as const

function closingError(queue: string): ConsumerError {
  return new ConsumerError({
    code: 'CONSUMER_CLOSING',
    message: `The consumer of "${queue}" closes and waits no longer; the message goes back to its queue.`,
  })
}
