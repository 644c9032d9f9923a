import { Body, createParamDecorator, type ExecutionContext } from '@nestjs/common'
import type { ConsumedMessage, HandlerContext } from 'warrenmq'

/** What `ExecutionContext.getType()` says in guards, interceptors and filters of a consumer. */
export const warrenContextType = 'warren'

type ParameterDecoratorFactory = ReturnType<typeof createParamDecorator>

/** The number that Nest's `@Body` has; pipes are told `body` for it, and `custom` for every decorator of one's own. */
export const bodyType = 3

/**
 * The decoded body, or one of its properties. Pipes apply to it as to the body of a request, `ValidationPipe` among them.
 * @example
 * ```ts
 * @Consume('billing.orders')
 * async charge(@MessageBody() order: OrderDto) {}
 * ```
 */
export const MessageBody: ParameterDecoratorFactory = (...dataOrPipes) =>
  (Body as ParameterDecoratorFactory)(...dataOrPipes)

/** What `MessageBody` hands to its parameter. */
export function bodyOf(message: unknown, property: unknown): unknown {
  const { body } = message as ConsumedMessage
  return property === undefined ? body : readProperty(body, String(property))
}

/**
 * All headers as plain values, or one of them.
 * @example
 * ```ts
 * @Consume('billing.orders')
 * async charge(@MessageHeaders('x-tenant') tenant: string) {}
 * ```
 */
export const MessageHeaders: ParameterDecoratorFactory = createParamDecorator(
  (name: unknown, context: ExecutionContext) => {
    const { headers } = messageOf(context)
    return name === undefined ? headers : readProperty(headers, String(name))
  },
)

/**
 * The whole message.
 * @example
 * ```ts
 * @Consume('billing.orders')
 * async charge(@MessageBody() order: OrderDto, @Message() message: ConsumedMessage) {}
 * ```
 */
export const Message: ParameterDecoratorFactory = createParamDecorator(
  (_data: unknown, context: ExecutionContext) => messageOf(context),
)

/**
 * The attempt, the signal that ends it, and the queue.
 * @example
 * ```ts
 * @Consume('billing.orders')
 * async charge(@MessageBody() order: OrderDto, @Delivery() { attempt, signal }: HandlerContext) {}
 * ```
 */
export const Delivery: ParameterDecoratorFactory = createParamDecorator(
  (_data: unknown, context: ExecutionContext) => context.getArgByIndex<HandlerContext>(1),
)

function messageOf(context: ExecutionContext): ConsumedMessage {
  return context.getArgByIndex<ConsumedMessage>(0)
}

function readProperty(from: unknown, name: string): unknown {
  return typeof from === 'object' && from !== null ? (from as Record<string, unknown>)[name] : undefined
}
