// What a tool for operators calls: dead letters, plan and apply, backups, and the connection they share.

export type { AmqpChannel } from './broker/amqp/channel.ts'
export { type BackoffPolicy, decideBackoff } from './broker/amqp/decide-backoff.ts'
export {
  declareQueue,
  deleteExchange,
  deleteQueue,
  inspectQueue,
  type QueueCounts,
} from './broker/amqp/declarations.ts'
export type { Delivery } from './broker/amqp/delivery.ts'
export { type IncomingMessage, joinBody } from './broker/amqp/message.ts'
export { openSessionPair, type SessionPair } from './broker/amqp/open-session-pair.ts'
export { parseAmqpUrl } from './broker/amqp/parse-amqp-url.ts'
export { pause } from './broker/amqp/pause.ts'
export { Session } from './broker/amqp/session.ts'
export { createTurns } from './broker/amqp/turns.ts'
export type { Broker } from './broker/broker.ts'
export { limitConcurrency, type RunLimited } from './broker/management/limit-concurrency.ts'
export { locateManagement, type ManagementPlace } from './broker/management/management-url.ts'
export {
  type Management,
  openManagement as openUnprovedManagement,
} from './broker/management/open-management.ts'
export { pairManagement } from './broker/management/pair-management.ts'
export type { QueueTraffic, SampleRange } from './broker/management/queues.ts'
export type { Permission } from './broker/management/users.ts'
export { type Clock, longestTimerMs, realClock, steadyClock } from './clock.ts'
export { parseRetryAfter } from './consumer/http/parse-retry-after.ts'
export type { DeliveryEvent } from './consumer/observe/consumer-events.ts'
export type { LogLevel } from './consumer/observe/render-log-line.ts'
export { type Metric, renderMetrics } from './consumer/observe/render-metrics.ts'
export { onSignals } from './consumer/run/on-signals.ts'
export { unpack } from './consumer/run/unpack.ts'
export { startConsumer } from './consumer/start-consumer.ts'
export { createWayLook } from './consumer/way-out/way-look.ts'
export { applyPlan, type StepResult } from './deploy/apply-plan.ts'
export { observeTopology } from './deploy/observe-topology.ts'
export { planBlindly, planDeployment, proveDeployment } from './deploy/plan-deployment.ts'
export {
  ApiError,
  type ApiErrorCode,
  ConfigError,
  isManagementAbsent,
  RecoveryError,
  WireError,
} from './errors.ts'
export { createEvents, type EventSource } from './events.ts'
export { joinSignals } from './join-signals.ts'
export { parseBrokerVersion } from './message/broker-version.ts'
export { clientHeaders } from './message/client-headers.ts'
export { type Duration, formatDuration, parseDuration } from './message/duration.ts'
export { escapeLine, escapeText } from './message/escape-text.ts'
export { causeOf } from './message/fingerprint-cause.ts'
export { formatCounted } from './message/format-counted.ts'
export { headerInteger, headerText } from './message/header-values.ts'
export { readDeaths } from './message/read-deaths.ts'
export { didYouMean, editDistance, suggestName } from './message/suggest-name.ts'
export { createPublisher } from './publisher/create-publisher.ts'
export { publishOrAgain } from './publisher/publish-or-again.ts'
export type { Publisher } from './publisher/publisher.ts'
export { type BackupReport, backUpQueue } from './recovery/backup/backup-queue.ts'
export type { BackupSummary } from './recovery/backup/backup-reading.ts'
export { type BackupHeader, readLine } from './recovery/backup/backup-record.ts'
export { blockHeadBytes, readBlockSize, unpackBlock } from './recovery/backup/blocks.ts'
export { countOnlyCopies, type OnlyCopies } from './recovery/backup/count-only-copies.ts'
export { countRemovals } from './recovery/backup/decide-removal.ts'
export { type DiscardReport, discardMessages } from './recovery/backup/discard-messages.ts'
export { readBackup } from './recovery/backup/read-backup.ts'
export { type RestoreReport, restoreBackup } from './recovery/backup/restore-backup.ts'
export { describeDamage, verifyBackup } from './recovery/backup/verify-backup.ts'
export { type Lock, lockName, takeLock } from './recovery/lock/take-lock.ts'
export { compileLook, type RequestContext } from './recovery/look/compile-look.ts'
export type { MessageSink } from './recovery/look/hold-messages.ts'
export { type ListedQueue, listDeadLetters } from './recovery/look/list-dead-letters.ts'
export { type LookReport, lookAtQueue } from './recovery/look/look-at-queue.ts'
export { seenInPart } from './recovery/look/seen-in-part.ts'
export { depthOf, settledDepth } from './recovery/look/settled-depth.ts'
export { recoveryHeaders } from './recovery/put-back/recovery-headers.ts'
export { createCauseGroups, type GroupOptions } from './recovery/read/cause-groups.ts'
export { type DeadLetterQueue, decideDeadLetterQueues } from './recovery/read/decide-dead-letter-queues.ts'
export { type Filter, type FilterField, type FilterSubject, matchesFilter } from './recovery/read/filter.ts'
export { isOwnQueue } from './recovery/read/is-own-queue.ts'
export { messageFilter } from './recovery/read/message-filter.ts'
export { messageKey } from './recovery/read/message-key.ts'
export { parseFilter } from './recovery/read/parse-filter.ts'
export { type GroupField, parseGroupBy } from './recovery/read/parse-group-by.ts'
export { attemptsOf, diedAt, originOf, readDeadLetter, typesOf } from './recovery/read/read-dead-letter.ts'
export { addressOf } from './recovery/read/read-origin.ts'
export { decideVerdict, type Verdict } from './recovery/receipt/decide-receipt.ts'
export { parseReceipt } from './recovery/receipt/parse-receipt.ts'
export { renderReceipt } from './recovery/receipt/render-receipt.ts'
export { verifyReceipt } from './recovery/receipt/verify-receipt.ts'
export { readRecoverySection } from './recovery/recover/read-recovery-section.ts'
export { defaultTotalMs, type RecoverProgress, recoverQueues } from './recovery/recover/recover-queues.ts'
export { describeKept } from './recovery/recover/render-recovery.ts'
export type { DeadLimit } from './recovery/redrive/canary.ts'
export { compileEdit, compileRedrive, type RedriveContext } from './recovery/redrive/compile-redrive.ts'
export type { MessageEdit } from './recovery/redrive/message-edit.ts'
export type { Destination, TypeRoutes } from './recovery/redrive/plan-redrive.ts'
export { type EditPreview, previewEdit } from './recovery/redrive/preview-edit.ts'
export { previewRedrive } from './recovery/redrive/preview-redrive.ts'
export { type Redrive, startRedrive } from './recovery/redrive/redrive.ts'
export type { RedriveOptions, RedriveProgress } from './recovery/redrive/redrive-options.ts'
export { type NotedRequest, noteRequest } from './recovery/request/note-request.ts'
export { parseRequest } from './recovery/request/parse-request.ts'
export type { RequestSchema } from './recovery/request/request-schema.ts'
export {
  backupRequestSchema,
  causesRequestSchema,
  discardRequestSchema,
  peekRequestSchema,
  redriveRequestSchema,
  restoreRequestSchema,
} from './recovery/request/request-schemas.ts'
export type {
  BackupRequest,
  CanaryRequest,
  CausesRequest,
  DiscardRequest,
  EditRequest,
  PeekRequest,
  QueueRequest,
  RedriveRequest,
  RestoreRequest,
} from './recovery/request/requests.ts'
export { renderAsyncApi } from './topology/asyncapi/render-asyncapi.ts'
export { compileTopology } from './topology/compile-topology.ts'
export type { CompiledQueue, CompiledTopology, QueueRole } from './topology/compiled-topology.ts'
export type { QueueDeclaration, TopologyDeclaration } from './topology/declaration.ts'
export { type LayoutName, layoutNames } from './topology/layouts/layout-names.ts'
export { layouts } from './topology/layouts/layouts.ts'
export { type Hardening, listHardening } from './topology/list-hardening.ts'
export type { LivePolicy, LiveQueue, LiveTopology } from './topology/live-topology.ts'
export { type Plan, planTopology } from './topology/plan-topology.ts'
export type { Finding } from './topology/prove/finding.ts'
export { type Proof, proveTopology } from './topology/prove/prove-topology.ts'
export type { QueueFlow } from './topology/queue-flow.ts'
export { readDefinitions } from './topology/read-definitions.ts'
export { type RecognisedQueue, recogniseTopology } from './topology/recognise-topology.ts'
export { renderDefinitions } from './topology/render-definitions.ts'
export { renderDot } from './topology/render-dot.ts'
export { renderMermaid } from './topology/render-mermaid.ts'
export { renderPlan, renderWaysOut } from './topology/render-plan.ts'
export { renderProof } from './topology/render-proof.ts'
export { readTopology, validateTopology } from './topology/validate-topology.ts'
export { decodeShownTable } from './wire/decode-table.ts'
export type { FieldEntry, FieldTable, FieldValue } from './wire/field-value.ts'
export { toFieldTable, toPlainField, toPlainTable } from './wire/plain-fields.ts'
export {
  decodeProperties,
  encodeProperties,
  noProperties,
  type RawProperties,
  readProperty,
} from './wire/properties.ts'
export { bytesOfText, readShortText, textOfUtf8 } from './wire/short-text.ts'
export { toJson } from './wire/to-json.ts'
