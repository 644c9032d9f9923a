// What a tool for operators calls: dead letters, plan and apply, backups, and the connection they share.

export type { Settled } from './broker/amqp/ack-ledger.ts'
export type { AmqpChannel } from './broker/amqp/channel.ts'
export type { ConsumeOptions } from './broker/amqp/channel-consumers.ts'
export type { ChannelEvents } from './broker/amqp/channel-events.ts'
export type { AmqpConnection, ConnectionEvents } from './broker/amqp/connection.ts'
export type { Content } from './broker/amqp/content-reader.ts'
export { type BackoffPolicy, decideBackoff } from './broker/amqp/decide-backoff.ts'
export {
  declareQueue,
  deleteExchange,
  deleteQueue,
  inspectQueue,
  type QueueCounts,
  type QueueToDeclare,
} from './broker/amqp/declarations.ts'
export type { Delivery, SettlingChannel } from './broker/amqp/delivery.ts'
export type { Agreement } from './broker/amqp/handshake.ts'
export { type IncomingMessage, joinBody, type ReturnedMessage } from './broker/amqp/message.ts'
export { openSessionPair, type SessionPair } from './broker/amqp/open-session-pair.ts'
export { type Endpoint, parseAmqpUrl } from './broker/amqp/parse-amqp-url.ts'
export { pause } from './broker/amqp/pause.ts'
export type { Secret } from './broker/amqp/secret.ts'
export { Session } from './broker/amqp/session.ts'
export type {
  ChannelSupervision,
  SupervisedChannel,
  SupervisedChannelEvents,
} from './broker/amqp/supervised-channel.ts'
export { createTurns, type Turns } from './broker/amqp/turns.ts'
export type { Broker } from './broker/broker.ts'
export type { Bindings, ManagedBinding } from './broker/management/bindings.ts'
export type { CallOptions } from './broker/management/call-api.ts'
export type { Cluster, ClusterHealth, Listener, Overview } from './broker/management/cluster.ts'
export type { Connections, ManagedConnection } from './broker/management/connections.ts'
export type { ExchangeName, Exchanges, ManagedExchange } from './broker/management/exchanges.ts'
export type { ManagementTls } from './broker/management/http-request.ts'
export type { JsonRecord } from './broker/management/json-record.ts'
export { limitConcurrency, type RunLimited } from './broker/management/limit-concurrency.ts'
export { locateManagement, type ManagementPlace } from './broker/management/management-url.ts'
export {
  type Login,
  type Management,
  type ManagementOptions,
  openManagement as openUnprovedManagement,
} from './broker/management/open-management.ts'
export { pairManagement } from './broker/management/pair-management.ts'
export type { Policies, Policy } from './broker/management/policies.ts'
export type {
  DepthSample,
  ListQueuesOptions,
  ManagedQueue,
  QueueName,
  Queues,
  QueueTraffic,
  SampleRange,
} from './broker/management/queues.ts'
export type { ManagedUser, Permission, Permissions, Users } from './broker/management/users.ts'
export type { ManagedVhost, Vhosts } from './broker/management/vhosts.ts'
export { type Clock, longestTimerMs, realClock, steadyClock } from './clock.ts'
export type { ConsumerParts } from './consumer/consumer-parts.ts'
export { parseRetryAfter } from './consumer/http/parse-retry-after.ts'
export type { DeliveryEvent } from './consumer/observe/consumer-events.ts'
export type { LogLevel } from './consumer/observe/render-log-line.ts'
export { type Metric, renderMetrics, type Sample } from './consumer/observe/render-metrics.ts'
export { onSignals } from './consumer/run/on-signals.ts'
export { unpack } from './consumer/run/unpack.ts'
export { startConsumer } from './consumer/start-consumer.ts'
export type { ManagedQueueSettings, ManagedWay } from './consumer/way-out/decide-way-out.ts'
export type { ManagementLook } from './consumer/way-out/look-by-management.ts'
export type { WayStep } from './consumer/way-out/plan-way-out.ts'
export { createWayLook, type WayLook } from './consumer/way-out/way-look.ts'
export { type ApplyOptions, applyPlan, type StepResult } from './deploy/apply-plan.ts'
export type { ChannelSource } from './deploy/channel-source.ts'
export { type ObserveOptions, observeTopology } from './deploy/observe-topology.ts'
export { planBlindly, planDeployment, proveDeployment } from './deploy/plan-deployment.ts'
export type { LeftoverRemoval } from './deploy/remove-leftover.ts'
export {
  ApiError,
  type ApiErrorCode,
  ConfigError,
  type ConfigErrorCode,
  isManagementAbsent,
  RecoveryError,
  WireError,
  type WireErrorCode,
} from './errors.ts'
export { createEvents, type EventSource } from './events.ts'
export { type JoinedSignal, type JoinOptions, joinSignals } from './join-signals.ts'
export type { BrokerCapabilities } from './message/broker-capabilities.ts'
export { parseBrokerVersion } from './message/broker-version.ts'
export { clientHeaders } from './message/client-headers.ts'
export { type Duration, formatDuration, parseDuration } from './message/duration.ts'
export { escapeLine, escapeText } from './message/escape-text.ts'
export { causeOf } from './message/fingerprint-cause.ts'
export { formatCounted } from './message/format-counted.ts'
export { type EncodedHeaders, headerInteger, headerText } from './message/header-values.ts'
export type { KnownFault, ReleaseRange } from './message/known-faults.ts'
export { type Death, type DeathHistory, type DeathPlace, readDeaths } from './message/read-deaths.ts'
export { didYouMean, editDistance, suggestName } from './message/suggest-name.ts'
export { createPublisher } from './publisher/create-publisher.ts'
export { publishOrAgain } from './publisher/publish-or-again.ts'
export type { Publisher } from './publisher/publisher.ts'
export { type BackupOptions, type BackupReport, backUpQueue } from './recovery/backup/backup-queue.ts'
export type { BackupSummary } from './recovery/backup/backup-reading.ts'
export {
  type BackupHeader,
  type BackupLine,
  type BackupRecord,
  type ReadLine,
  type RemovalMark,
  type RemovalProgress,
  type RunStart,
  readLine,
} from './recovery/backup/backup-record.ts'
export { blockHeadBytes, readBlockSize, unpackBlock } from './recovery/backup/blocks.ts'
export { countOnlyCopies, type OnlyCopies } from './recovery/backup/count-only-copies.ts'
export { type BackupRun, countRemovals, type RemovalCounts } from './recovery/backup/decide-removal.ts'
export {
  type DiscardOptions,
  type DiscardReport,
  discardMessages,
} from './recovery/backup/discard-messages.ts'
export { readBackup } from './recovery/backup/read-backup.ts'
export { type RestoreReport, restoreBackup } from './recovery/backup/restore-backup.ts'
export type { RestoreOptions } from './recovery/backup/restore-options.ts'
export { describeDamage, verifyBackup } from './recovery/backup/verify-backup.ts'
export { type Lock, type LockRequest, lockName, takeLock } from './recovery/lock/take-lock.ts'
export { type CompiledLook, compileLook, type RequestContext } from './recovery/look/compile-look.ts'
export type { HoldReport, MessageSink } from './recovery/look/hold-messages.ts'
export { type ListedQueue, type ListOptions, listDeadLetters } from './recovery/look/list-dead-letters.ts'
export { type LookOptions, type LookReport, lookAtQueue } from './recovery/look/look-at-queue.ts'
export type { LookPermission } from './recovery/look/prepare-look.ts'
export { type PartialLook, seenInPart } from './recovery/look/seen-in-part.ts'
export { type AwaitedDepth, depthOf, settledDepth } from './recovery/look/settled-depth.ts'
export { recoveryHeaders } from './recovery/put-back/recovery-headers.ts'
export { type CauseGroups, createCauseGroups, type GroupOptions } from './recovery/read/cause-groups.ts'
export { type DeadLetterQueue, decideDeadLetterQueues } from './recovery/read/decide-dead-letter-queues.ts'
export {
  type Filter,
  type FilterField,
  type FilterOperator,
  type FilterSubject,
  matchesFilter,
} from './recovery/read/filter.ts'
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
export { type VerifyReceiptOptions, verifyReceipt } from './recovery/receipt/verify-receipt.ts'
export { type RecoverySection, readRecoverySection } from './recovery/recover/read-recovery-section.ts'
export {
  defaultTotalMs,
  type RecoverOptions,
  type RecoverProgress,
  type RecoverTimeouts,
  recoverQueues,
} from './recovery/recover/recover-queues.ts'
export { describeKept } from './recovery/recover/render-recovery.ts'
export type { DeadLimit } from './recovery/redrive/canary.ts'
export { compileEdit, compileRedrive, type RedriveContext } from './recovery/redrive/compile-redrive.ts'
export type { FailedPublish } from './recovery/redrive/failed-publish.ts'
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
export {
  type AsyncApi,
  type AsyncApiDocument,
  type AsyncApiInfo,
  type AsyncApiMembers,
  renderAsyncApi,
} from './topology/asyncapi/render-asyncapi.ts'
export { type CompileOptions, compileTopology } from './topology/compile-topology.ts'
export type { CompiledQueue, CompiledTopology, QueueRole } from './topology/compiled-topology.ts'
export type { QueueDeclaration, TopologyDeclaration } from './topology/declaration.ts'
export type {
  Layout,
  LayoutGuess,
  LayoutParts,
  LayoutSetting,
  ResolvedQueue,
  ResolvedRetry,
  SharedSettings,
} from './topology/layouts/layout.ts'
export { type LayoutName, layoutNames } from './topology/layouts/layout-names.ts'
export { layouts } from './topology/layouts/layouts.ts'
export { type Hardening, listHardening } from './topology/list-hardening.ts'
export type { LiveIndex, LivePolicy, LiveQueue, LiveTopology } from './topology/live-topology.ts'
export type { NamedBy, NameMessage } from './topology/name-message.ts'
export { type Plan, type PlanInput, planTopology } from './topology/plan-topology.ts'
export type { Assumption } from './topology/prove/find-assumptions.ts'
export type { Caveat } from './topology/prove/find-caveats.ts'
export type { BrokenProperty, Finding } from './topology/prove/finding.ts'
export type { ProvedProperty } from './topology/prove/finding-names.ts'
export type { LossByEnd, NodeEnd, NodeLoss } from './topology/prove/node-ends.ts'
export {
  type AcceptedFinding,
  type LosesAt,
  type PlaceOfLoss,
  type Proof,
  type PropertyResult,
  proveTopology,
} from './topology/prove/prove-topology.ts'
export type { QueueFlow } from './topology/queue-flow.ts'
export { readDefinitions } from './topology/read-definitions.ts'
export { type Recognised, type RecognisedQueue, recogniseTopology } from './topology/recognise-topology.ts'
export {
  type BindingDefinition,
  type Definitions,
  type ExchangeDefinition,
  type QueueDefinition,
  renderDefinitions,
} from './topology/render-definitions.ts'
export { renderDot } from './topology/render-dot.ts'
export { renderMermaid } from './topology/render-mermaid.ts'
export { renderPlan, renderWaysOut } from './topology/render-plan.ts'
export { renderProof } from './topology/render-proof.ts'
export type { RoutableTopology } from './topology/route.ts'
export { readTopology, validateTopology } from './topology/validate-topology.ts'
export { decodeShownTable } from './wire/decode-table.ts'
export type { DeliverMethod } from './wire/deliver-reader.ts'
export type { FieldEntry, FieldTable, FieldValue } from './wire/field-value.ts'
export type { Body } from './wire/frame-writer.ts'
export { type FieldPlace, toFieldTable, toPlainField, toPlainTable } from './wire/plain-fields.ts'
export {
  decodeProperties,
  encodeProperties,
  noProperties,
  type RawProperties,
  readProperty,
} from './wire/properties.ts'
export type { Properties, PropertiesInput, PropertyName, ValueOfKind } from './wire/property-kinds.ts'
export { bytesOfText, readShortText, textOfUtf8 } from './wire/short-text.ts'
export { toJson } from './wire/to-json.ts'
