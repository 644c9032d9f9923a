import { ContextIdFactory } from '@nestjs/core'
import type { Handler, HandlerReturn } from 'warrenmq'
import { answerException } from './answer-exception.ts'
import { askFilters } from './ask-filters.ts'
import type { FoundMethod } from './found-consumer.ts'
import { keepAnswer, takeAnswer } from './keep-answer.ts'
import { bodyOf, bodyType, warrenContextType } from './message-body.ts'
import { pickAnswer } from './pick-answer.ts'
import type { NestRuntime, Wrapping } from './wrapping.ts'

/** Where Nest keeps what parameter decorators say; the name is the same in Nest 11 and 12, its export is not. */
const parametersKey = '__routeArguments__'

/** The body has the type that Nest's pipes know bodies by. Other decorators of ours bring their factory along. */
const parameters = {
  exchangeKeyForValue: (type: number, property: unknown, args: readonly unknown[]) =>
    type === bodyType ? bodyOf(args[0], property) : undefined,
}

type NestMethod = (...args: Parameters<Handler>) => Promise<unknown>

/** The method as a handler of the library, with everything that Nest wraps around it. */
export async function createHandler(found: FoundMethod, nest: NestRuntime): Promise<Handler> {
  keepAnswer(found.method)
  const shared = found.host.isDependencyTreeStatic() ? await wrapOnce(found, nest) : undefined
  return async (message, context) => {
    try {
      const { wrapping, run } = shared ?? (await wrapForMessage(message, found, nest))
      return await decide(wrapping, run, [message, context])
    } catch (error) {
      return answerException(error)
    }
  }
}

interface Wrapped {
  readonly wrapping: Wrapping
  readonly run: NestMethod
}

/** Nest itself constructs a provider of scope TRANSIENT only for those who inject it, so it is asked for one. */
async function wrapOnce(found: FoundMethod, nest: NestRuntime): Promise<Wrapped> {
  const { host } = found
  const instance: object = host.isTransient
    ? await nest.moduleRef.resolve(host.token, undefined, { strict: false })
    : host.instance
  return wrap({ found, nest, instance })
}

/** A provider of scope REQUEST is made anew for every message; what it injects as REQUEST is the message. */
async function wrapForMessage(message: object, found: FoundMethod, nest: NestRuntime): Promise<Wrapped> {
  const contextId = ContextIdFactory.create()
  nest.moduleRef.registerRequestByContextId(message, contextId)
  const instance: object = await nest.moduleRef.resolve(found.host.token, contextId, { strict: false })
  return wrap({ found, nest, instance, contextId })
}

/** Its filters are asked apart from it, since Nest does not tell what they return from what the method returns. */
function wrap(wrapping: Wrapping): Wrapped {
  const { found, nest, instance, contextId } = wrapping
  const run = nest.contexts.create(
    instance as Record<string, unknown>,
    found.method,
    found.methodName,
    parametersKey,
    parameters,
    contextId,
    contextId && found.host.id,
    { guards: true, interceptors: true, filters: false },
    warrenContextType,
  )
  return { wrapping, run }
}

/** Both the method and its interceptors may answer; where they fail, the filters may. */
async function decide(
  wrapping: Wrapping,
  run: NestMethod,
  [message, context]: Parameters<Handler>,
): Promise<HandlerReturn> {
  try {
    const result = await run(message, context)
    return pickAnswer(takeAnswer(message), result)
  } catch (error) {
    return askFilters(wrapping, error, [message, context])
  }
}
