export { Consume } from './consume.ts'
export { Delivery, Message, MessageBody, MessageHeaders, warrenContextType } from './message-parameters.ts'
export { WarrenConnection } from './warren-connection.ts'
export { WarrenConsumers } from './warren-consumers.ts'
export { WarrenModule } from './warren-module.ts'
export type {
  WarrenModuleAsyncOptions,
  WarrenModuleOptions,
  WarrenOptionsFactory,
} from './warren-module-options.ts'
export { WarrenPublisher } from './warren-publisher.ts'
