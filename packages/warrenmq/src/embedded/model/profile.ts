import type { RawProperties } from '../../wire/properties.ts'
import type { ExchangeType } from './exchange/exchange-type.ts'
import type { HeaderComparison } from './exchange/header-comparison.ts'
import type { PublishRules } from './message/make-message.ts'
import type { DeathRules } from './message/message.ts'
import type { PolicyTarget } from './policy/policies.ts'
import type { QueueKind } from './queue/queue-kind.ts'
import type { SettingsRules } from './queue/queue-settings.ts'
import type { QueuedMessage, Settlement } from './queue/queued-message.ts'
import type { QuorumPriorities } from './quorum/quorum-ready.ts'
import type { StreamStorage } from './stream/stream-storage.ts'

/** A version of RabbitMQ that the embedded broker can behave as. */
export type ProfileName = '3.10' | '4.0' | '4.3'

/** A version of RabbitMQ: what it answers and does where versions differ. */
export interface Profile {
  readonly name: ProfileName
  /** As the broker says it in its server-properties. */
  readonly version: string
  readonly erlangVersion: string
  /** In the order in which RabbitMQ compares them when a queue is declared again. */
  readonly queueArguments: Readonly<Record<QueueKind, readonly string[]>>
  readonly consumerArguments: Readonly<Record<QueueKind, readonly string[]>>
  /** Arguments whose values are checked, in that order. */
  readonly checkedArguments: readonly string[]
  /** A policy with one of these does not apply to that kind of queue. */
  readonly unsupportedPolicyKeys: Readonly<Record<QueueKind, readonly string[]>>
  readonly policyKeys: readonly string[]
  readonly operatorPolicyKeys: readonly string[]
  readonly policyTargets: readonly PolicyTarget[]
  readonly allowsNegativeDeliveryLimitPolicy: boolean
  /** Policies may mirror classic queues, up to 3.x. */
  readonly takesMirroring: boolean
  /** A bad `x-queue-master-locator` ends the connection on 3.x, none does on 4.0, and from 4.3 on any does. */
  readonly masterLocator: 'strict' | 'lenient' | 'refused'
  readonly exchangeTypes: readonly ExchangeType[]
  /** A vhost may say which type a queue has whose client names none. */
  readonly hasDefaultQueueType: boolean
  /** How it answers to a type that there is not. */
  readonly badDefaultQueueType: 'taken' | 'internal-error' | 'refused'
  /** From 4.3 on a passive declare asks for one of the three permissions. */
  readonly asksToDeclarePassively: boolean
  /** From 4.3 on the address of a direct reply counts as a queue, whoever is behind it. */
  readonly routesReplies: boolean
  /** Topic permissions are asked for every key of a message, not for its routing key alone. */
  readonly checksEveryTopic: boolean
  /** Every declared queue shows its type among its arguments, also when the client named none. */
  readonly addsQueueTypeArgument: boolean
  readonly allowsQueueVersion1: boolean
  readonly maxMessageBytes: number
  readonly minFrameMax: number
  readonly allowsGlobalPrefetch: boolean
  /** The refusal of a permission names it: `read access to queue …` instead of `access to queue …`. */
  readonly namesRefusedPermission: boolean
  /** How an unknown exchange type is refused. */
  readonly unknownExchangeType: 'COMMAND_INVALID' | 'PRECONDITION_FAILED'
  /** How RabbitMQ writes the type of queue when it refuses basic.get because of a single active consumer. */
  readonly quorumInRefusal: string
  readonly streamRefusals: {
    readonly noPrefetch: (resource: string) => string
    readonly noAck: (resource: string) => string
    /** Undefined where rejecting is as good as acknowledging. */
    readonly rejecting: ((resource: string) => string) | undefined
  }
  readonly publish: PublishRules
  readonly deaths: DeathRules
  readonly headerComparison: HeaderComparison
  readonly settings: SettingsRules
  readonly quorum: QuorumRules
  /** From 4.3 on classic queues count failed deliveries too, and hand the count on with a dead letter. */
  readonly classicCountsFailures: boolean
  /** Up to 4.2 a channel that holds a delivery for too long is closed, whatever the type of queue. */
  readonly closesChannelOnConsumerTimeout: boolean
  /** An age that does not begin with a number ends the connection (up to 4.2). */
  readonly stumblesOverAges: boolean
  /** At-most-once dead letters reach a stream. */
  readonly deadLettersIntoStreams: boolean
  readonly streamStorage: StreamStorage
  /** The limit of queues is looked at before the arguments of the queue (3.x). */
  readonly checksQueueLimitFirst: boolean
  /** How it says that a user has too many channels; 4.0.5 names the node and not the user. */
  describeChannelLimit(reached: { user: string; node: string; limit: number }): string
  readonly management: ManagementRules
}

/** Faults of one version: see `refuse-unmodelled.ts`. */
export type QuorumFault = 'large-returns' | 'returning-consumers' | 'prioritised-single-consumers'

export interface QuorumRules {
  readonly priorities: QuorumPriorities
  /** What counts towards x-max-length-bytes. */
  sizeOf(message: QueuedMessage['message']): number
  /** A return to a queue without a delivery limit goes to its tail. */
  readonly returnsToTailWithoutLimit: boolean
  /** Whether that settlement, or the loss of the channel, is a failure of the delivery. */
  isFailure(cause: Settlement | 'channel-down' | 'timeout'): boolean
  /** The count that is compared with the limit. */
  limitedCount(entry: QueuedMessage): number
  /** A dead letter brings its delivery count into the next quorum queue. */
  readonly carriesDeliveryCount: boolean
  isRedelivered(entry: QueuedMessage): boolean
  /** Adds what the queue tells about earlier deliveries. */
  renderProperties(entry: QueuedMessage, isGet: boolean): RawProperties
  readonly hasCreditCeiling: boolean
  /** Up to 3.x a return that hits the limit gives credit twice. */
  readonly overcreditsAtLimit: boolean
  readonly sortsWaitingConsumers: boolean
  /** What this version does wrong in a way that no model can follow, and that is therefore refused. */
  readonly notModelled: readonly QuorumFault[]
  /** A consumer that gives up its place by returning a message is followed at once, not at the next change. */
  readonly activatesAfterReturn: boolean
  readonly ordersDeliveriesBy: 'tag' | 'age'
  readonly purgesDeadLetters: boolean
  /** Of several messages that a full queue drops at once, the last becomes a dead letter first. */
  readonly sendsLastDroppedFirst: boolean
  /** Publishers that were turned away are let in again when a policy takes all limits away (from 4.0 on). */
  readonly opensWithoutLimit: boolean
  /** A dead letter that a queue sends to itself, at least once, arrives but is never forgotten (up to 3.12.1). */
  readonly keepsLettersToItself: boolean
  /** From 4.3 on the queue itself takes back what a consumer holds for too long. */
  readonly takesBackAfterTimeout: boolean
}

/** Where versions differ in the HTTP API. */
export interface ManagementRules {
  /** It tells what is wrong with a policy as HTML. */
  readonly escapesPolicyProblems: boolean
  /** It says of a queue that is not there, or an exchange, only that; before, it said what AMQP says. */
  readonly namesMissingTargets: boolean
  readonly exportsVhostOfPolicies: boolean
  /** What an export tells of a vhost beside its name. */
  readonly exportedVhosts: 'by-name' | 'with-description' | 'with-limits'
  /** An import leaves out a binding whose ends are not there, where later versions refuse the whole. */
  readonly skipsLooseBindings: boolean
  /** From 4.3 on a vhost that the user has no access to is as if it were not there. */
  readonly hidesOtherVhosts: boolean
  readonly declaresToProveAlive: boolean
  /** Only administrators see them on 3.x. */
  readonly hidesFeatureFlags: boolean
  /** From 4.3 on a queue can be internal, an export tells its type and leaves out what is internal. */
  readonly knowsInternalQueues: boolean
}
