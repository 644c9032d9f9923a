export type { ConsumedMessage } from './consumer/consumed-message.ts'
export type { Consumer } from './consumer/consumer.ts'
export type { ConsumerEvents } from './consumer/consumer-events.ts'
export type { ConsumerOptions } from './consumer/consumer-options.ts'
export type { Handler, HandlerContext, Middleware } from './consumer/handler.ts'
export { defer, type HandlerAnswer, reject, retry } from './consumer/handler-answer.ts'
export { type HttpHandlerOptions, httpHandler } from './consumer/http-handler.ts'
export type { ApplyReport } from './deploy/apply-plan.ts'
export type { PlannedDeployment } from './deploy/deploy-topology.ts'
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
export { defineTopology, type Topology } from './topology/define-topology.ts'
export { type ConnectOptions, connect, type Warren } from './warren.ts'
export { type PlainField, type PlainTable, type TypedField, typed } from './wire/plain-fields.ts'
