import { isObservable, lastValueFrom } from 'rxjs'
import type { Handler, HandlerAnswer } from 'warrenmq'
import { isAnswer } from './is-answer.ts'
import { warrenContextType } from './message-body.ts'
import type { Wrapping } from './wrapping.ts'

/**
 * Lets the exception filters of a method see an error. Only an answer decides: most filters return nothing, because they
 * log or write a response, and a message whose handler has failed must not count as handled for that.
 */
export async function askFilters(
  { found, nest, instance, contextId }: Wrapping,
  error: unknown,
  args: Parameters<Handler>,
): Promise<HandlerAnswer> {
  const filter = nest.contexts.create(
    instance as Record<string, unknown>,
    throwerLike(found.method, error),
    `${found.methodName} has failed`, // Nest remembers by this name which parameters there are, and here are none
    '',
    undefined,
    contextId,
    contextId && found.host.id,
    { guards: false, interceptors: false, filters: true },
    warrenContextType,
  )
  const returned: unknown = await filter(...args)
  const answer = isObservable(returned)
    ? await lastValueFrom(returned, { defaultValue: undefined })
    : returned
  if (isAnswer(answer)) return answer
  throw error
}

/** Throws the error, with the method's decorators on it, among which Nest finds the filters. */
function throwerLike(method: object, error: unknown): () => never {
  const thrower = (): never => {
    throw error
  }
  for (const key of Reflect.getOwnMetadataKeys(method))
    Reflect.defineMetadata(key, Reflect.getOwnMetadata(key, method), thrower)
  return thrower
}
