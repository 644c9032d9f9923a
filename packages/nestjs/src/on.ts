import type { MessageDeclarations } from 'warrenmq'
import { type MethodThatHandles, markEntry } from './consume.ts'

const messageKey = Symbol.for('warrenmq:nestjs:on')

/**
 * Hands the messages of this name to the method. Their queue is that of `@Consume` on the class, or else the one that
 * `handles` them in the topology. Bodies are checked by the schema of the message first. With the type of your messages,
 * `On<typeof messages>`, TypeScript checks the name.
 * @example
 * ```ts
 * @Injectable()
 * @Consume('billing.orders')
 * export class BillingConsumer {
 *   @On('OrderPlaced')
 *   async charge(@MessageBody() order: Order) {}
 *
 *   @On('OrderCancelled')
 *   async refund(@MessageBody() order: Order) {}
 * }
 * ```
 */
export function On<Messages extends MessageDeclarations = MessageDeclarations>(
  message: keyof Messages & string,
): MethodThatHandles {
  return (target, _name, descriptor) => {
    if (descriptor.value) Reflect.defineMetadata(messageKey, message, descriptor.value)
    markEntry(target.constructor)
  }
}

/** The message that `@On` named on a method. */
export function messageHandledBy(method: object): string | undefined {
  return Reflect.getOwnMetadata(messageKey, method)
}
