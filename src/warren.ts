import { openSessionPair, type SessionPair } from './broker/amqp/open-session-pair.ts'
import type { Session, SessionEvents, SessionOptions } from './broker/amqp/session.ts'
import { deriveManagementUrl } from './broker/management/management-url.ts'
import { openManagement } from './broker/management/open-management.ts'
import type { Consumer } from './consumer/consumer.ts'
import type { ConsumerOptions } from './consumer/consumer-options.ts'
import type { Handler } from './consumer/handler.ts'
import type { SchemaOutput, StandardSchema } from './consumer/middleware/validate-body.ts'
import { type EndingSignal, onSignals } from './consumer/on-signals.ts'
import { startConsumer } from './consumer/start-consumer.ts'
import { type DeadLetters, openDeadLetters } from './dead-letters.ts'
import { type ApplyReport, applyPlan } from './deploy/apply-plan.ts'
import { type PlannedDeployment, planBlindly, planDeployment } from './deploy/deploy-topology.ts'
import { DeploymentError, InvalidArgumentError, ManagementError } from './errors.ts'
import type { Events } from './events.ts'
import type { Duration } from './message/duration.ts'
import { Publisher, type PublisherOptions } from './publisher/publisher.ts'
import { TracedPublisher } from './publisher/traced-publisher.ts'
import type { TracingApi } from './publisher/tracing-api.ts'
import { readRecoverySection } from './recovery/read-recovery-section.ts'
import { type RecoverOptions, recoverQueues } from './recovery/recover-queues.ts'
import type { QueueRecovery } from './recovery/render-recovery.ts'
import { compileTopology } from './topology/compile-topology.ts'
import type { CompiledTopology } from './topology/compiled-topology.ts'
import type { Topology } from './topology/define-topology.ts'
import { renderPlan } from './topology/render-plan.ts'

export interface ConnectOptions<QueueName extends string = never> extends SessionOptions {
  /** What `defineTopology` gave; `consume` takes its queues and `apply` declares it. */
  readonly topology?: Topology<QueueName>
  /** Where RabbitMQ's HTTP API is, for `plan` and `apply`. @default the same host, port 15672 or 15671 */
  readonly managementUrl?: string
  /**
   * Closes everything at one of these signals, then lets the signal end the process, or leaves that to whoever else
   * listens to it. A second signal does not wait. @default none
   */
  readonly closeOn?: readonly EndingSignal[]
  /** How long `closeOn` lets running handlers finish. @default '30s' */
  readonly closeDeadline?: Duration
  /** The module `@opentelemetry/api`: spans of every publish and every attempt. */
  readonly tracing?: TracingApi
}

/** Connects to a broker; several hosts may be given. Wrong credentials or an unknown vhost end it at once. */
export async function connect<const QueueName extends string = never>(
  url: string | readonly string[],
  settings: ConnectOptions<QueueName> = {},
): Promise<Warren<QueueName>> {
  const { topology, managementUrl, closeOn = [], closeDeadline, tracing, ...options } = settings
  const firstUrl = typeof url === 'string' ? url : url[0]
  if (firstUrl === undefined)
    throw new InvalidArgumentError('connect() was given no URL. Give it at least one.')
  return new Warren({
    ...(await openSessionPair(url, options)),
    ...{ topology, tracing, closeOn, closeDeadline },
    managementUrl: managementUrl ?? deriveManagementUrl(firstUrl),
  })
}

interface WarrenParts<QueueName extends string> extends SessionPair {
  readonly topology: Topology<QueueName> | undefined
  readonly managementUrl: string
  readonly tracing: TracingApi | undefined
  readonly closeOn: readonly EndingSignal[]
  readonly closeDeadline: Duration | undefined
}

/** One application's line to RabbitMQ. It comes back by itself when the broker does. */
export class Warren<QueueName extends string = never> {
  readonly #consuming: Session
  readonly #publishing: Session
  readonly #topology: Topology<QueueName> | undefined
  readonly #managementUrl: string
  readonly #publishers = new Set<Publisher>()
  readonly #consumers = new Set<Consumer>()
  readonly #tracing: TracingApi | undefined
  readonly #stopListening: () => void
  #sharedPublisher: Publisher | undefined
  #compiled: CompiledTopology | undefined

  /** @internal */
  constructor(parts: WarrenParts<QueueName>) {
    this.#consuming = parts.consuming
    this.#publishing = parts.publishing
    this.#topology = parts.topology
    this.#managementUrl = parts.managementUrl
    this.#tracing = parts.tracing
    const deadline = parts.closeDeadline
    this.#stopListening = onSignals(parts.closeOn, (signal, { isHeardByOthers }) => {
      void this.close(deadline === undefined ? {} : { deadline }).finally(() => {
        if (!isHeardByOthers) process.kill(process.pid, signal)
      })
    })
  }

  /** Connections lost and found, channels reopened, publishing blocked by an alarm. */
  get events(): Events<SessionEvents> {
    return {
      on: (name, listener) => {
        const takeOff = [this.#consuming, this.#publishing].map(({ events }) => events.on(name, listener))
        return () => {
          for (const each of takeOff) each()
        }
      },
    }
  }

  /** The broker's product and version. */
  get broker(): { readonly product: string; readonly version: string } {
    return this.#consuming.broker
  }

  /**
   * A publisher whose every publish settles exactly once. Without options always the same one, so that it may be asked
   * for wherever something is published; with options a new one, with a channel of its own.
   */
  publisher(options?: PublisherOptions): Publisher {
    if (options !== undefined) return this.#createPublisher(options)
    if (this.#sharedPublisher === undefined || this.#sharedPublisher.isClosed)
      this.#sharedPublisher = this.#createPublisher({})
    return this.#sharedPublisher
  }

  /**
   * Hands messages of a declared queue to the handler, with its retry policy. Resolves when it is consuming. With a
   * `schema` the handler gets bodies of its type.
   */
  async consume<Schema extends StandardSchema = StandardSchema>(
    queue: QueueName,
    handler: Handler<SchemaOutput<Schema>>,
    options: ConsumerOptions<Schema> = {},
  ): Promise<Consumer> {
    const flow = this.#compile().flows.find(({ name }) => name === queue)
    if (!flow)
      throw new InvalidArgumentError(`The topology has no queue "${queue}". Declare it, or correct the name.`)
    const consumer = startConsumer({
      consuming: this.#consuming,
      publishing: this.#publishing,
      flow,
      handler: handler as Handler,
      options: this.#tracing ? { tracing: this.#tracing, ...options } : options,
    })
    this.#consumers.add(consumer)
    consumer.events.on('consumer.closed', () => this.#consumers.delete(consumer))
    await consumer.whenStarted()
    return consumer
  }

  /** Compares the topology with the broker. */
  async plan(): Promise<PlannedDeployment> {
    const topology = this.#declared()
    const management = openManagement(this.#managementUrl)
    try {
      return await planDeployment(topology, { management, vhost: this.#vhost })
    } catch (error) {
      // Without the HTTP API everything is declared, and the report says what was not looked at.
      if (!(error instanceof ManagementError) || error.code !== 'MANAGEMENT_UNREACHABLE') throw error
      return planBlindly(topology, this.broker.version)
    } finally {
      management.close()
    }
  }

  /** Declares what is missing. Throws a DeploymentError when the broker has things that would have to go or change. */
  async apply(): Promise<ApplyReport> {
    const { plan } = await this.plan()
    const report = await applyPlan(this.#consuming, plan)
    if (!report.isComplete) throw new DeploymentError({ report, plan: renderPlan(plan) })
    return report
  }

  /**
   * The dead letters of a declared queue (where several share a dead-letter queue, of all of them), or of any queue on
   * the broker by its own name.
   */
  deadLetters(queue: QueueName | (string & {})): DeadLetters {
    const flows = this.#topology ? this.#compile().flows : []
    const flow = flows.find(({ name }) => name === queue)
    if (flow && flow.deadLetterQueue === undefined)
      throw new InvalidArgumentError(`The queue "${queue}" is declared without a dead-letter queue.`)
    const recovery = this.#topology?.recovery
    return openDeadLetters({
      queue: flow?.deadLetterQueue ?? queue,
      consuming: this.#consuming,
      publishing: this.#publishing,
      managementUrl: this.#managementUrl,
      flows,
      types: recovery && readRecoverySection(recovery).types,
    })
  }

  /** Puts dead letters back by their type, as the topology's `recovery` section says. Meant for a worker's start. */
  async recover(
    options: Pick<RecoverOptions, 'by' | 'log' | 'signal' | 'acceptDeliveryLimit'> = {},
  ): Promise<readonly QueueRecovery[]> {
    const section = readRecoverySection(this.#declared().recovery)
    const management = openManagement(this.#managementUrl)
    const sessions = { consuming: this.#consuming, publishing: this.#publishing }
    try {
      return await recoverQueues({ ...section, ...options, ...sessions, management })
    } finally {
      management.close()
    }
  }

  /** Gives the broker a new password or token before the old one ends: now, and whenever it connects again. */
  async updateSecret(newSecret: string, reason: string): Promise<void> {
    const sessions = [this.#publishing, this.#consuming]
    await Promise.all(sessions.map((session) => session.updateSecret(newSecret, reason)))
  }

  /**
   * Takes no more messages, lets running handlers finish until the deadline and gives the rest back, waits for the
   * answers that are still to come, then closes. @default a deadline of '30s'
   */
  async close(options: { readonly deadline?: Duration } = {}): Promise<void> {
    this.#stopListening()
    await Promise.all([...this.#consumers].map((consumer) => consumer.close(options)))
    await Promise.all([...this.#publishers].map((publisher) => publisher.close()))
    await Promise.all([this.#publishing.close(), this.#consuming.close()])
  }

  #createPublisher(options: PublisherOptions): Publisher {
    for (const each of this.#publishers)
      if (each.isClosed && each.pendingCount === 0) this.#publishers.delete(each)
    const publisher = this.#tracing
      ? new TracedPublisher(this.#publishing, options, this.#tracing)
      : new Publisher(this.#publishing, options)
    this.#publishers.add(publisher)
    return publisher
  }

  get #vhost(): string {
    return this.#consuming.vhost
  }

  #compile(): CompiledTopology {
    this.#compiled ??= compileTopology(this.#declared(), { brokerVersion: this.broker.version })
    return this.#compiled
  }

  #declared(): Topology<QueueName> {
    if (this.#topology) return this.#topology
    throw new InvalidArgumentError('connect() was given no topology. Pass { topology: defineTopology(…) }.')
  }
}
