export type { ApplySettings } from './apply-settings.ts'
export type { Mechanism } from './broker/amqp/authenticate.ts'
export type { ConnectionOptions } from './broker/amqp/connection-options.ts'
export type { BackoffPolicy } from './broker/amqp/decide-backoff.ts'
export type { TlsOptions } from './broker/amqp/open-socket.ts'
export type { SessionOptions } from './broker/amqp/session.ts'
export type { OldSessionEvents, SessionEvents } from './broker/amqp/session-events.ts'
export type { SessionState } from './broker/amqp/session-state.ts'
export type { Clock } from './clock.ts'
export type { BackoffOptions, ConnectOptions } from './connect-options.ts'
export type { AmqplibChannel, AmqplibMessage, AmqplibMessageOf } from './consumer/amqplib/amqplib-channel.ts'
export { type RetryingCallback, type RetryingOptions, retrying } from './consumer/amqplib/retrying.ts'
export type { RetryingContext, RetryingEvent } from './consumer/amqplib/wrapped-run.ts'
export type {
  BatchConsumerOptions,
  BatchContext,
  BatchHandler,
  BatchOptions,
  BatchReturn,
} from './consumer/batch/batch-handler.ts'
export type { Consumer } from './consumer/consumer.ts'
export type { BreakerOptions, ConsumerOptions, StreamOffset } from './consumer/consumer-options.ts'
export type {
  BreakerCause,
  BreakerPolicy,
  BreakerState,
  ResultCount,
} from './consumer/decide/breaker-state.ts'
export type { Recount, RecountReason } from './consumer/decide/decide-admission.ts'
export type { DeadLetterReason, HoldReason, Outcome } from './consumer/decide/decide-outcome.ts'
export type { RetryDelay } from './consumer/decide/decide-retry-delay.ts'
export type { Handler, HandlerContext, HandlerReturn, Middleware } from './consumer/handler.ts'
export {
  type Answer,
  defer,
  type HandlerAnswer,
  reject,
  retry,
  type StatusAnswer,
} from './consumer/handler-answer.ts'
export { type HttpHandlerOptions, httpHandler, signBody } from './consumer/http/http-handler.ts'
export {
  type StatusMeaning,
  type StatusRule,
  type StatusTable,
  type StatusTableName,
  statusTables,
} from './consumer/http/status-tables.ts'
export {
  type DedupeClaim,
  type DedupeOptions,
  type DedupeStore,
  dedupe,
} from './consumer/middleware/dedupe.ts'
export { ignoreErrors } from './consumer/middleware/ignore-errors.ts'
export { memoryDedupeStore } from './consumer/middleware/memory-dedupe-store.ts'
export { processAfterDelay } from './consumer/middleware/process-after-delay.ts'
export { throttle } from './consumer/middleware/throttle.ts'
export { validateBody } from './consumer/middleware/validate-body.ts'
export type {
  MessageHandlers,
  NamedConsumerOptions,
  UnknownChoice,
} from './consumer/named/handle-by-name.ts'
export type { BreakerKind, ConsumerEvents, DeliveryEvent } from './consumer/observe/consumer-events.ts'
export { type ConsumerMetrics, createConsumerMetrics } from './consumer/observe/consumer-metrics.ts'
export { jsonLogger, type Logger, logConsumer } from './consumer/observe/log-consumer.ts'
export type { LogLevel } from './consumer/observe/render-log-line.ts'
export type { BodyDecoder, ConsumedMessage, Undecoded } from './consumer/run/consumed-message.ts'
export { decodeJson } from './consumer/run/decoder.ts'
export type { Failure } from './consumer/run/handler-result.ts'
export type { EndingSignal } from './consumer/run/on-signals.ts'
export type { SettledOutcome } from './consumer/settle/settlement.ts'
export type { DeadLetters, Verification } from './dead-letters.ts'
export type { ApplyReport, StepResult } from './deploy/apply-plan.ts'
export type { ExecutableStep, StepOutcome } from './deploy/execute-step.ts'
export type { PlannedDeployment } from './deploy/plan-deployment.ts'
export type { LeftoverChoice } from './deploy/remove-leftover.ts'
export {
  ChannelError,
  type ChannelErrorCode,
  ConnectionError,
  type ConnectionErrorCode,
  ConsumerError,
  type ConsumerErrorCode,
  DeploymentError,
  InvalidArgumentError,
  ManagementError,
  type ManagementErrorCode,
  PublishError,
  type PublishErrorCode,
  RecoveryError,
  type RecoveryErrorCode,
  TopologyError,
  type TopologyMistake,
  WarrenError,
} from './errors.ts'
export type { Events } from './events.ts'
export type { Alarm, ConnectionHealth, ConsumerHealth, Health } from './health.ts'
export type { BrokerVersion } from './message/broker-version.ts'
export type { AttemptsRule } from './message/count-attempts.ts'
export type { Duration } from './message/duration.ts'
export type { Cause } from './message/fingerprint-cause.ts'
export type {
  SchemaInput,
  SchemaIssue,
  SchemaOutput,
  SchemaResult,
  StandardSchema,
} from './message/standard-schema.ts'
export type { NamedPublishOptions } from './publisher/address-messages.ts'
export type { OutgoingMessage } from './publisher/outgoing-message.ts'
export type { PublishOptions } from './publisher/publish-options.ts'
export type { PublishResult } from './publisher/publish-result.ts'
export type { Publisher, PublisherOptions } from './publisher/publisher.ts'
export type { SpanOptions, TracingApi, TracingSpan } from './publisher/tracing-api.ts'
export type { RecoverChoice } from './recover-choice.ts'
export type { BackupReport } from './recovery/backup/backup-queue.ts'
export type { BackupSeal } from './recovery/backup/backup-record.ts'
export type { DiscardReport } from './recovery/backup/discard-messages.ts'
export type { RestoreReport } from './recovery/backup/restore-backup.ts'
export type { RestoreCounts } from './recovery/backup/restore-run.ts'
export type { CauseGroup } from './recovery/read/cause-groups.ts'
export type { CauseSplit } from './recovery/read/cause-splits.ts'
export type { DeadLetter, DeadLetterProperties } from './recovery/read/read-dead-letter.ts'
export type { ReceiptCheck, Verdict } from './recovery/receipt/decide-receipt.ts'
export type { Interruption, Receipt, RedriveOutcome } from './recovery/receipt/receipt.ts'
export type { QueueRecovery } from './recovery/recover/render-recovery.ts'
export type { Canary, DeadLimit } from './recovery/redrive/canary.ts'
export type { FailureKind } from './recovery/redrive/failed-publish.ts'
export type { KeepReason } from './recovery/redrive/plan-redrive.ts'
export type { PreviewTarget, RedrivePreview } from './recovery/redrive/preview-redrive.ts'
export type { Redrive } from './recovery/redrive/redrive.ts'
export type { RedriveProgress } from './recovery/redrive/redrive-options.ts'
export type { NotedEdit, NotedRequest } from './recovery/request/note-request.ts'
export type {
  BackupRequest,
  CanaryRequest,
  CausesRequest,
  ChosenRequest,
  DiscardRequest,
  EditRequest,
  EncodedBody,
  JsonValue,
  PeekRequest,
  QueueRequest,
  QueueTarget,
  RedriveRequest,
  RestoreRequest,
  WindowRequest,
} from './recovery/request/requests.ts'
export type {
  Asker,
  BackupChoice,
  CausesOptions,
  DiscardChoice,
  PeekOptions,
  RedriveChoice,
  RestoreChoice,
  VerifyChoice,
} from './redrive-choice.ts'
export type {
  CompiledBinding,
  CompiledExchange,
  CompiledQueue,
  CompiledTopology,
  QueueRole,
} from './topology/compiled-topology.ts'
export type {
  Acceptance,
  Arguments,
  ArgumentValue,
  BindingDeclaration,
  DeadLetterDeclaration,
  ExchangeDeclaration,
  ExchangeType,
  LayoutChoice,
  LayoutOptions,
  PolicyDeclaration,
  PublicationDeclaration,
  QueueDeclaration,
  QueueType,
  RetryDeclaration,
  TopologyDeclaration,
} from './topology/declaration.ts'
export { defineMessages, unchecked } from './topology/define-messages.ts'
export {
  defineTopology,
  type FeedingExchange,
  type QueueOfLayout,
  type Topology,
  type TopologyToDefine,
} from './topology/define-topology.ts'
export type { SettingChange } from './topology/diff-topology.ts'
export type { PolicyConflict } from './topology/effective-value.ts'
export type { LayoutName } from './topology/layouts/layout-names.ts'
export type {
  LiveBinding,
  LiveExchange,
  LivePolicy,
  LiveQueue,
  LiveTopology,
} from './topology/live-topology.ts'
export type {
  BodyToHandle,
  BodyToPublish,
  MessageDeclaration,
  MessageDeclarations,
  NoMessages,
  OnlySettings,
} from './topology/message-declaration.ts'
export type { DisruptiveStep, ImpossibleStep, Leftover, Plan, SafeStep } from './topology/plan-topology.ts'
export type {
  DeclaredQueue,
  DeferRule,
  DelayTier,
  FlowHeaders,
  OwnDeadLetters,
  ParkRule,
  PublishAddress,
  QueueFlow,
  RedriveRule,
  RetryRule,
} from './topology/queue-flow.ts'
export type {
  RecoveryDeclaration,
  RecoveryRouteDeclaration,
  RecoveryTimeoutsDeclaration,
} from './topology/recovery-declaration.ts'
export type { RoutedMessages, RoutingWorld } from './topology/routed-messages.ts'
export type {
  ServerAccountsDeclaration,
  ServerAuthDeclaration,
  ServerOidcDeclaration,
  ServerRole,
  ServerTokenDeclaration,
} from './topology/server-auth-declaration.ts'
export type {
  ServerApprovalDeclaration,
  ServerBackupsDeclaration,
  ServerDeclaration,
  ServerHistoryDeclaration,
  ServerLimitsDeclaration,
  ServerPayloadsDeclaration,
  ServerSessionDeclaration,
  ServerSnapshotsDeclaration,
} from './topology/server-declaration.ts'
export type {
  ServerWebhookDeclaration,
  ServerWebhookGrowthDeclaration,
  ServerWebhookRetryDeclaration,
  ServerWebhookRulesDeclaration,
  ServerWebhooksDeclaration,
} from './topology/server-webhooks-declaration.ts'
export type { WayOut } from './topology/ways-out.ts'
export { connect, type Warren, type WarrenOf } from './warren.ts'
export type {
  Decimal,
  FieldContent,
  FieldEntry,
  FieldTable,
  FieldValue,
  IntegerTag,
} from './wire/field-value.ts'
export { type PlainField, type PlainTable, type TypedField, typed } from './wire/plain-fields.ts'
