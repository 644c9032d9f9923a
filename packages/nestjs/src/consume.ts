import type { ConsumerOptions, HandlerReturn } from 'warrenmq'

/** Which queue a method or a class consumes, and how. */
export interface Consumption {
  readonly queue: string
  readonly options: ConsumerOptions
}

// biome-ignore lint/suspicious/noExplicitAny: a method takes what its parameter decorators say.
type HandlerMethod = (...args: any[]) => HandlerReturn | PromiseLike<HandlerReturn>

const consumptionKey = Symbol.for('warrenmq:nestjs:consume')

/**
 * Hands the messages of a queue to the method, with the retry policy of the queue. The method gets `(message, context)`,
 * or what its parameter decorators ask for. Returning nothing acknowledges, throwing retries; see `Handler`.
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
export function Consume(queue: string, options: ConsumerOptions = {}) {
  const consumption: Consumption = { queue, options }
  return <Method extends HandlerMethod>(
    _target: object,
    _name: string | symbol,
    descriptor: TypedPropertyDescriptor<Method>,
  ): void => {
    if (descriptor.value) Reflect.defineMetadata(consumptionKey, consumption, descriptor.value)
  }
}

/** What `@Consume` said of a method, if it said anything. */
export function consumptionOf(method: object): Consumption | undefined {
  return Reflect.getMetadata(consumptionKey, method)
}
