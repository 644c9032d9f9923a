import { ContextIdFactory, type ExternalContextCreator, type ModuleRef } from '@nestjs/core'
import type { Handler, HandlerReturn } from 'warrenmq'
import { answerException } from './answer-exception.ts'
import type { FoundMethod } from './found-consumer.ts'
import { warrenContextType } from './message-body.ts'

/** Where Nest keeps what parameter decorators say; the name is the same in Nest 11 and 12, its export is not. */
const parametersKey = '__routeArguments__'

/** Parameters of our own decorators bring their factory along; those of HTTP (`@Body`) mean nothing here. */
const noOtherParameters = { exchangeKeyForValue: () => undefined }

type NestMethod = (...args: unknown[]) => Promise<HandlerReturn>
type ContextId = ReturnType<typeof ContextIdFactory.create>

/** The parts of Nest that run a method with its pipes, guards, interceptors and filters. */
export interface NestRuntime {
  readonly contexts: ExternalContextCreator
  readonly moduleRef: ModuleRef
}

/** The method as a handler of the library, with everything that Nest wraps around it. */
export function createHandler(found: FoundMethod, nest: NestRuntime): Handler {
  const run = found.host.isDependencyTreeStatic() ? runStatic(found, nest) : runPerMessage(found, nest)
  return (message, context) => run(message, context).catch(answerException)
}

function runStatic(found: FoundMethod, nest: NestRuntime): NestMethod {
  return wrapMethod({ found, nest, instance: found.host.instance })
}

/** A provider of scope REQUEST is made anew for every message; what it injects as REQUEST is the message. */
function runPerMessage(found: FoundMethod, nest: NestRuntime): NestMethod {
  return async (message, context) => {
    const contextId = ContextIdFactory.create()
    nest.moduleRef.registerRequestByContextId(message, contextId)
    const instance = await nest.moduleRef.resolve(found.host.token, contextId, { strict: false })
    return wrapMethod({ found, nest, instance, contextId })(message, context)
  }
}

interface Wrapping {
  readonly found: FoundMethod
  readonly nest: NestRuntime
  readonly instance: Record<string, unknown>
  readonly contextId?: ContextId
}

function wrapMethod({ found, nest, instance, contextId }: Wrapping): NestMethod {
  const method = instance[found.methodName] as (...args: unknown[]) => unknown
  return nest.contexts.create(
    instance,
    method,
    found.methodName,
    parametersKey,
    noOtherParameters,
    contextId,
    contextId && found.host.id,
    { guards: true, interceptors: true, filters: true },
    warrenContextType,
  )
}
