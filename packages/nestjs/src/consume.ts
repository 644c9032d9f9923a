import type { ConsumerOptions, HandlerReturn, NamedConsumerOptions } from 'warrenmq'

/** Which queue a method or a class consumes, and how. */
export interface Consumption {
  readonly queue: string
  readonly options: ConsumerOptions | NamedConsumerOptions
}

// biome-ignore lint/suspicious/noExplicitAny: a method takes what its parameter decorators say.
export type HandlerMethod = (...args: any[]) => HandlerReturn | PromiseLike<HandlerReturn>

/** What decorates a method that handles messages. */
export type MethodThatHandles = <Method extends HandlerMethod>(
  target: object,
  name: string | symbol,
  descriptor: TypedPropertyDescriptor<Method>,
) => void

/** What decorates a class whose methods handle messages by their names. */
// biome-ignore lint/suspicious/noExplicitAny: a class has any parameters.
export type ClassThatHandles = (target: new (...args: any[]) => object) => void

const consumptionKey = Symbol.for('warrenmq:nestjs:consume')

/**
 * Hands the messages of a queue to the method, with the retry policy of the queue. The method gets `(message, context)`,
 * or what its parameter decorators ask for. Returning nothing acknowledges, throwing retries; see `Handler`. On a class it
 * names the queue of the methods with `@On`.
 * @example
 * ```ts
 * @Injectable()
 * export class BillingConsumer {
 *   @Consume('billing.orders', { concurrency: 5 })
 *   async charge(message: ConsumedMessage<Order>, { signal }: HandlerContext) {
 *     await this.payments.charge(message.body, { signal })
 *   }
 * }
 * ```
 */
export function Consume(
  queue: string,
  options: ConsumerOptions | NamedConsumerOptions = {},
): ClassThatHandles & MethodThatHandles {
  const consumption: Consumption = { queue, options }
  return (target: object, _name?: string | symbol, descriptor?: { readonly value?: object | undefined }) => {
    Reflect.defineMetadata(consumptionKey, consumption, descriptor?.value ?? target)
    markEntry(descriptor ? target.constructor : target)
  }
}

/**
 * Says to Nest that messages enter the application here, as requests do at a controller. Without it, guards of the whole
 * application that are made for each message would be left out. The name of the key is the same in Nest 11 and 12.
 */
export function markEntry(consumerClass: object): void {
  Reflect.defineMetadata('__entryProvider__', true, consumerClass)
}

/** What `@Consume` said of a method or a class, if it said anything of it. */
export function consumptionOf(decorated: object): Consumption | undefined {
  return Reflect.getOwnMetadata(consumptionKey, decorated)
}
