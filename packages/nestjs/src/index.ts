export { type ClassThatHandles, Consume, type HandlerMethod, type MethodThatHandles } from './consume.ts'
export { Delivery, Message, MessageBody, MessageHeaders, warrenContextType } from './message-body.ts'
export { On } from './on.ts'
export { WarrenConnection } from './warren-connection.ts'
export { WarrenConsumers } from './warren-consumers.ts'
export { WarrenHealth, type WarrenHealthResult } from './warren-health.ts'
export { WarrenModule } from './warren-module.ts'
export type {
  WarrenModuleAsyncOptions,
  WarrenModuleOptions,
  WarrenOptionsFactory,
} from './warren-module-options.ts'
export { WarrenPublisher } from './warren-publisher.ts'
