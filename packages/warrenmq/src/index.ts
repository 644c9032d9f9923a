export type { ConnectOptions } from './connect-options.ts'
export type { Consumer } from './consumer/consumer.ts'
export type { ConsumerOptions } from './consumer/consumer-options.ts'
export type { Handler, HandlerContext, Middleware } from './consumer/handler.ts'
export { defer, type HandlerAnswer, reject, retry } from './consumer/handler-answer.ts'
export { type HttpHandlerOptions, httpHandler, signBody } from './consumer/http/http-handler.ts'
export { type StatusTable, type StatusTableName, statusTables } from './consumer/http/status-tables.ts'
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
export { type SchemaOutput, type StandardSchema, validateBody } from './consumer/middleware/validate-body.ts'
export type { ConsumerEvents } from './consumer/observe/consumer-events.ts'
export { type ConsumerMetrics, createConsumerMetrics } from './consumer/observe/consumer-metrics.ts'
export { jsonLogger, type Logger, logConsumer } from './consumer/observe/log-consumer.ts'
export type { BodyDecoder, ConsumedMessage, Undecoded } from './consumer/run/consumed-message.ts'
export { decodeJson } from './consumer/run/decode-body.ts'
export type { EndingSignal } from './consumer/run/on-signals.ts'
export type {
  BackupChoice,
  CausesOptions,
  DiscardChoice,
  PeekOptions,
  RedriveChoice,
  RestoreChoice,
  RunningRedrive,
  VerifyChoice,
} from './dead-letter-options.ts'
export type { DeadLetters, Verification } from './dead-letters.ts'
export type { ApplyReport } from './deploy/apply-plan.ts'
export type { PlannedDeployment } from './deploy/deploy-topology.ts'
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
  TopologyError,
  type TopologyMistake,
  WarrenError,
} from './errors.ts'
export type { Events } from './events.ts'
export type { OutgoingMessage } from './publisher/outgoing-message.ts'
export type { PublishResult } from './publisher/publish-result.ts'
export type { Publisher, PublisherOptions } from './publisher/publisher.ts'
export type { SpanOptions, TracingApi, TracingSpan } from './publisher/tracing-api.ts'
export type { CauseSplit } from './recovery/read/decide-splits.ts'
export type { CauseGroup } from './recovery/read/group-causes.ts'
export type { DeadLetter, DeadLetterProperties } from './recovery/read/read-dead-letter.ts'
export type { Interruption, Receipt, RedriveOutcome } from './recovery/receipt/receipt.ts'
export type { QueueRecovery } from './recovery/recover/render-recovery.ts'
export type { PreviewTarget, RedrivePreview } from './recovery/redrive/preview-redrive.ts'
export { defineTopology, type Topology } from './topology/define-topology.ts'
export { type ApplySettings, connect, type Warren } from './warren.ts'
export { type PlainField, type PlainTable, type TypedField, typed } from './wire/plain-fields.ts'
