import type { HandlerReturn } from 'warrenmq'
import { isAnswer, isMadeAnswer } from './is-answer.ts'

/**
 * What the interceptors made of the method's answer counts only if it is one itself: an interceptor for HTTP may put
 * anything around it, and a rejected message would be acknowledged. The envelope may have a status of its own, so no status
 * takes `retry()`, `reject()` and `defer()` away, nor one that it contains.
 */
export function pickAnswer(own: unknown, result: unknown): HandlerReturn {
  const isReplaced = isAnswer(result) && (isMadeAnswer(result) || !isHiddenBy(result, own))
  return (isReplaced ? result : (own ?? result)) as HandlerReturn
}

function isHiddenBy(envelope: object, own: unknown): boolean {
  return isMadeAnswer(own) || (isAnswer(own) && Object.values(envelope).includes(own))
}
