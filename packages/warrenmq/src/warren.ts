import type { ApplySettings } from './apply-settings.ts'
import { openSessionPair, type SessionPair } from './broker/amqp/open-session-pair.ts'
import type { Session } from './broker/amqp/session.ts'
import type { SessionEvents } from './broker/amqp/session-events.ts'
import { locateManagement, type ManagementPlace } from './broker/management/management-url.ts'
import type { Management } from './broker/management/open-management.ts'
import { pairManagement } from './broker/management/pair-management.ts'
import { checkConnectOptions, checkUrls, readConnectTimes } from './check-connect-options.ts'
import type { ConnectOptions } from './connect-options.ts'
import type { BatchConsumerOptions, BatchHandler } from './consumer/batch/batch-handler.ts'
import type { Consumer } from './consumer/consumer.ts'
import type { ConsumerOptions } from './consumer/consumer-options.ts'
import type { Handler } from './consumer/handler.ts'
import type { MessageHandlers, NamedConsumerOptions } from './consumer/named/handle-by-name.ts'
import { readConsume } from './consumer/read-consume.ts'
import { type EndingSignal, onSignals } from './consumer/run/on-signals.ts'
import { startConsumer } from './consumer/start-consumer.ts'
import { createWayLook, type WayLook } from './consumer/way-out/way-look.ts'
import { checkQueueName, type DeadLetters, openDeadLetters } from './dead-letters.ts'
import { type ApplyReport, applyPlan } from './deploy/apply-plan.ts'
import { type PlannedDeployment, planBlindly, planDeployment } from './deploy/plan-deployment.ts'
import { refuseUnknownChoice, warnOfLeftovers } from './deploy/warn-of-leftovers.ts'
import { DeploymentError, InvalidArgumentError, isManagementAbsent } from './errors.ts'
import type { Events } from './events.ts'
import { type Health, readHealth } from './health.ts'
import { mergeEvents } from './merge-events.ts'
import { type Duration, parseDuration } from './message/duration.ts'
import { refuseUnknown } from './message/refuse-unknown.ts'
import type { SchemaOutput, StandardSchema } from './message/standard-schema.ts'
import type { NamedPublishOptions } from './publisher/address-messages.ts'
import type { PublishResult } from './publisher/publish-result.ts'
import { Publisher, type PublisherOptions } from './publisher/publisher.ts'
import { TracedPublisher } from './publisher/traced-publisher.ts'
import type { TracingApi } from './publisher/tracing-api.ts'
import { type RecoverChoice, recoverOptions } from './recover-choice.ts'
import { readRecoverySection } from './recovery/recover/read-recovery-section.ts'
import { recoverQueues } from './recovery/recover/recover-queues.ts'
import type { QueueRecovery } from './recovery/recover/render-recovery.ts'
import { compileTopology } from './topology/compile-topology.ts'
import type { CompiledTopology } from './topology/compiled-topology.ts'
import type { QueueDeclaration } from './topology/declaration.ts'
import type { Topology } from './topology/define-topology.ts'
import type { BodyToPublish, MessageDeclarations, NoMessages } from './topology/message-declaration.ts'
import { renderPlan } from './topology/render-plan.ts'
import { dateNow } from './world.ts'

/**
 * Connects to a broker, on one of several hosts if you name them. Fails immediately if the credentials are wrong or the
 * vhost is unknown.
 * @example
 * ```ts
 * const warren = await connect('amqp://localhost', { topology, closeOn: ['SIGTERM'] })
 * ```
 */
export async function connect<
  const QueueName extends string = never,
  Messages extends MessageDeclarations = NoMessages,
  Routed = Readonly<Record<QueueName, keyof Messages>>,
>(
  url: string | readonly string[],
  settings: ConnectOptions<QueueName, Messages, Routed> = {},
): Promise<Warren<QueueName, Messages, Routed>> {
  checkUrls(url)
  checkConnectOptions(settings)
  const {
    topology,
    managementUrl,
    closeOn = [],
    closeDeadline,
    tracing,
    ...options
  } = readConnectTimes(settings)
  const firstUrl = typeof url === 'string' ? url : url[0]!
  return new Warren({
    ...(await openSessionPair(url, options)),
    topology,
    tracing,
    closeOn,
    closeDeadline,
    managementPlace: locateManagement(firstUrl, managementUrl ?? process.env.MANAGEMENT_URL),
  })
}

/** Answers that are on their way are waited for although the handlers took all of the time. */
const lastAnswersMs = 250

interface WarrenParts<QueueName extends string, Messages extends MessageDeclarations> extends SessionPair {
  readonly topology: Topology<QueueName, Messages> | undefined
  readonly managementPlace: ManagementPlace
  readonly tracing: TracingApi | undefined
  readonly closeOn: readonly EndingSignal[]
  readonly closeDeadline: Duration | undefined
}

/** The `Warren` that `connect` makes for a topology: `WarrenOf<typeof topology>`. */
export type WarrenOf<Defined> =
  Defined extends Topology<infer QueueName, infer Messages, infer Routed>
    ? Warren<QueueName, Messages, Routed>
    : never

/**
 * One application's connection to RabbitMQ. It reconnects by itself. `QueueName`, `Messages` and `Routed` come from its
 * topology; write `WarrenOf<typeof topology>`.
 */
export class Warren<
  QueueName extends string = never,
  Messages extends MessageDeclarations = NoMessages,
  Routed = Readonly<Record<QueueName, keyof Messages>>,
> {
  /** Connections lost and found, channels reopened, publishing blocked by an alarm. */
  readonly events: Events<SessionEvents>
  readonly #consuming: Session
  readonly #publishing: Session
  readonly #topology: Topology<QueueName, Messages> | undefined
  readonly #managementPlace: ManagementPlace
  readonly #publishers = new Set<Publisher<Messages>>()
  readonly #consumers = new Set<Consumer>()
  readonly #tracing: TracingApi | undefined
  readonly #wayLook: WayLook
  readonly #stopListening: () => void
  #sharedPublisher: Publisher<Messages> | undefined
  #compiled: CompiledTopology | undefined
  #openedManagement: Management | undefined

  /** @internal */
  constructor(parts: WarrenParts<QueueName, Messages>) {
    this.#consuming = parts.consuming
    this.#publishing = parts.publishing
    this.events = mergeEvents([parts.consuming.events, parts.publishing.events])
    this.#topology = parts.topology
    this.#managementPlace = parts.managementPlace
    this.#tracing = parts.tracing
    this.#wayLook = createWayLook(() => this.#management)
    const deadline = parts.closeDeadline
    this.#stopListening = onSignals(parts.closeOn, (signal, { isHeardByOthers }) => {
      void this.close(deadline === undefined ? {} : { deadline }).finally(() => {
        if (!isHeardByOthers) process.kill(process.pid, signal)
      })
    })
  }

  /** The broker's product and version. */
  get broker(): { readonly product: string; readonly version: string } {
    return this.#consuming.broker
  }

  /**
   * A publisher, whose publishes each settle exactly once. Without options it is always the same one, so you can call
   * this wherever you publish; with options it is a new one, with its own channel.
   * @example
   * ```ts
   * const result = await warren.publisher().publish({ key: 'orders', body: { id: 42 } })
   * if (result.kind !== 'confirmed') console.error('not published', result)
   * ```
   */
  publisher(options?: PublisherOptions): Publisher<Messages> {
    if (options !== undefined) return this.#createPublisher(options)
    if (this.#sharedPublisher === undefined || this.#sharedPublisher.isClosed)
      this.#sharedPublisher = this.#createPublisher({})
    return this.#sharedPublisher
  }

  /**
   * Publishes a message of the topology by its name, with the shared publisher: its address is known, and its body is
   * checked. Rejects if the message cannot be sent; the result says what the broker did with it.
   * @example
   * ```ts
   * const result = await shop.publish('OrderPlaced', { id: 42 })
   * ```
   */
  publish<Name extends keyof Messages & string>(
    name: Name,
    body: BodyToPublish<Messages[Name]>,
    options?: NamedPublishOptions,
  ): Promise<PublishResult> {
    return this.publisher().publish(name, body, options)
  }

  /**
   * Passes messages of a declared queue to the handler, with the queue's retry policy. Resolves when it is consuming.
   * With a `schema`, the handler gets bodies of its type.
   * @example
   * ```ts
   * const consumer = await warren.consume('orders', async (message, { signal }) => {
   *   await fetch('https://example.com/orders', { method: 'POST', body: message.rawBody, signal })
   * })
   * ```
   */
  consume<Schema extends StandardSchema = StandardSchema>(
    queue: QueueName,
    handler: Handler<SchemaOutput<Schema>>,
    options?: ConsumerOptions<Schema>,
  ): Promise<Consumer>
  /**
   * The same with a handler for each message, by name: for those that the topology routes to this queue.
   * @example
   * ```ts
   * await shop.consume('orders', { OrderPlaced: ({ body }) => console.log(body.id) }, { unknown: 'fail' })
   * ```
   */
  consume<Queue extends QueueName>(
    queue: Queue,
    handlers: MessageHandlers<Messages, Routed[Queue & keyof Routed]>,
    options?: NamedConsumerOptions,
  ): Promise<Consumer>
  /**
   * The same for many messages at once. Each of them is retried, parked or acknowledged separately.
   * @example
   * ```ts
   * await warren.consume('orders', { batch: { size: 100, wait: '1s' } }, async (messages) => {
   *   return messages.map(({ body }) => (body === null ? reject('an empty order') : undefined))
   * })
   * ```
   */
  consume<Schema extends StandardSchema = StandardSchema>(
    queue: QueueName,
    options: BatchConsumerOptions<Schema>,
    handler: BatchHandler<SchemaOutput<Schema>>,
  ): Promise<Consumer>
  async consume(queue: QueueName, first: unknown, second?: unknown): Promise<Consumer> {
    const flow = this.#compile().flows.find(({ name }) => name === queue)
    if (!flow)
      throw new InvalidArgumentError(`The topology has no queue "${queue}". Declare it, or correct the name.`)
    const { messages = {}, queues } = this.#declared()
    const { handles } = queues[queue] as QueueDeclaration
    const { options, ...read } = readConsume({ queue, first, second, messages, handles })
    const consumer = startConsumer({
      ...read,
      consuming: this.#consuming,
      publishing: this.#publishing,
      flow,
      wayLook: this.#wayLook,
      options: this.#tracing ? { tracing: this.#tracing, ...options } : { ...options },
    })
    this.#consumers.add(consumer)
    consumer.events.on('consumer.closed', () => this.#consumers.delete(consumer))
    await consumer.whenStarted()
    return consumer
  }

  /**
   * The state of both connections and all consumers right now, without asking the broker: for a health check.
   * @example
   * ```ts
   * const { isHealthy, publishing } = warren.health()
   * if (!isHealthy) console.error(publishing.state, publishing.blocked)
   * ```
   */
  health(): Health {
    const pendingPublishes = [...this.#publishers].reduce((sum, { pendingCount }) => sum + pendingCount, 0)
    const [consuming, publishing] = [this.#consuming, this.#publishing]
    return readHealth({ consuming, publishing, consumers: this.#consumers, pendingPublishes })
  }

  /**
   * Compares the topology with the broker.
   * @example
   * ```ts
   * const { plan } = await warren.plan()
   * console.log(plan.safe.length, 'steps to take')
   * ```
   */
  async plan(): Promise<PlannedDeployment> {
    const topology = this.#declared()
    try {
      return await planDeployment(topology, { management: this.#management, vhost: this.#vhost })
    } catch (error) {
      // Without the HTTP API everything is declared, and the report says what was not looked at.
      if (!isManagementAbsent(error)) throw error
      return planBlindly(topology, this.broker.version)
    }
  }

  /**
   * Declares what is missing. If the broker has objects that would have to be removed or changed, it throws a
   * DeploymentError before it changes anything. The wait queue of a removed delay is kept, with a warning: it runs empty
   * by itself.
   * @example
   * ```ts
   * const { done } = await warren.apply()
   * console.log(done, 'steps taken')
   * ```
   */
  async apply(options: ApplySettings = {}): Promise<ApplyReport> {
    refuseUnknown('apply()', options, { leftovers: true })
    const { leftovers = 'keep' } = options
    refuseUnknownChoice(leftovers)
    const { plan } = await this.plan()
    if (plan.disruptive.length + plan.impossible.length > 0)
      throw new DeploymentError({ plan: renderPlan(plan) })
    const observe = async () => (await this.plan()).live
    const report = await applyPlan(this.#consuming, plan, { leftovers, observe })
    if (!report.isComplete) throw new DeploymentError({ report, plan: renderPlan(plan) })
    warnOfLeftovers(report)
    return report
  }

  /**
   * The dead letters of a declared queue (if several share a dead-letter queue, of all of them), or of any queue, by its
   * name on the broker.
   * @example
   * ```ts
   * const dead = await warren.deadLetters('orders').peek()
   * ```
   */
  deadLetters(queue: QueueName | (string & {})): DeadLetters {
    checkQueueName(queue)
    const flows = this.#topology ? this.#compile().flows : []
    const flow = flows.find(({ name }) => name === queue)
    if (flow && flow.deadLetterQueue === undefined)
      throw new InvalidArgumentError(`The queue "${queue}" is declared without a dead-letter queue.`)
    const recovery = this.#topology?.recovery
    return openDeadLetters({
      queue: flow?.deadLetterQueue ?? queue,
      consuming: this.#consuming,
      publishing: this.#publishing,
      management: this.#management,
      flows,
      types: recovery && readRecoverySection(recovery).types,
    })
  }

  /**
   * Puts dead letters back by their type, as the topology's `recovery` section says. For the start of a worker.
   * @example
   * ```ts
   * for (const { queue, recovered } of await warren.recover()) console.log(queue, recovered)
   * ```
   */
  async recover(options: RecoverChoice = {}): Promise<readonly QueueRecovery[]> {
    refuseUnknown('recover()', options, recoverOptions)
    const section = readRecoverySection(this.#declared().recovery)
    const sessions = { consuming: this.#consuming, publishing: this.#publishing }
    return recoverQueues({ ...section, ...options, ...sessions, management: this.#management })
  }

  /**
   * Gives the broker a new password or token before the old one expires: now, and at every reconnect.
   * @example
   * ```ts
   * await warren.updateSecret('a new token', 'the old one ends in an hour')
   * ```
   */
  async updateSecret(newSecret: string, reason: string): Promise<void> {
    if (typeof newSecret !== 'string' || typeof reason !== 'string')
      throw new InvalidArgumentError('updateSecret() takes the new secret and a reason, both as text.')
    const sessions = [this.#publishing, this.#consuming]
    await Promise.all(sessions.map((session) => session.updateSecret(newSecret, reason)))
  }

  /**
   * Takes no more messages, lets running handlers finish until the deadline, gives the rest back, waits for the answers
   * to publishes, and closes. It keeps the deadline whatever the broker does: a publish that waits for longer is
   * `unknown`, and is no longer sent. @default a deadline of '30s'
   * @example
   * ```ts
   * await warren.close({ deadline: '10s' })
   * ```
   */
  async close(options: { readonly deadline?: Duration } = {}): Promise<void> {
    refuseUnknown('close()', options, { deadline: true })
    const deadlineMs = parseDuration(options.deadline ?? '30s')
    const endsAtMs = dateNow() + deadlineMs
    const leftMs = () => Math.max(lastAnswersMs, endsAtMs - dateNow())
    this.#stopListening()
    await Promise.all([...this.#consumers].map((consumer) => consumer.close({ deadline: deadlineMs })))
    await Promise.all([...this.#publishers].map((publisher) => publisher.close({ deadline: leftMs() })))
    await Promise.all([this.#publishing, this.#consuming].map((session) => session.close(leftMs())))
    this.#openedManagement?.close()
  }

  /** `await using warren = await connect(…)` closes it at the end of the block. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  #createPublisher(options: PublisherOptions): Publisher<Messages> {
    for (const each of this.#publishers)
      if (each.isClosed && each.pendingCount === 0) this.#publishers.delete(each)
    const publisher = this.#tracing
      ? new TracedPublisher(this.#publishing, options, this.#tracing, this.#topology?.messages)
      : new Publisher(this.#publishing, options, this.#topology?.messages)
    this.#publishers.add(publisher)
    return publisher
  }

  /** One for all who ask, so that it is proved once per connection. */
  get #management(): Management {
    this.#openedManagement ??= pairManagement(this.#consuming, this.#managementPlace)
    return this.#openedManagement
  }

  get #vhost(): string {
    return this.#consuming.vhost
  }

  #compile(): CompiledTopology {
    this.#compiled ??= compileTopology(this.#declared(), { brokerVersion: this.broker.version })
    return this.#compiled
  }

  #declared(): Topology<QueueName, Messages> {
    if (this.#topology) return this.#topology
    throw new InvalidArgumentError('connect() got no topology. Pass { topology: defineTopology(…) }.')
  }
}
