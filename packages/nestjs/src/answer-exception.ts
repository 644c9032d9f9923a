import type { StatusAnswer } from 'warrenmq'
import { isAnswer } from './is-answer.ts'

/**
 * Nest's pipes, guards and services say what went wrong by HTTP exceptions, and the consumer's status table says what a
 * status means: a `BadRequestException` of a ValidationPipe parks at once, since the same body will be as wrong the next
 * time, and a `ServiceUnavailableException` is retried. Any other error is thrown on, and is retried; so is an exception with
 * a number of the application's own for its status, which would be no answer, and acknowledge.
 */
export function answerException(error: unknown): StatusAnswer {
  if (!isHttpException(error)) throw error
  const answer = { status: error.getStatus(), error: describe(error) }
  if (!isAnswer(answer)) throw error
  return answer
}

interface HttpExceptionLike extends Error {
  getStatus(): number
  getResponse(): unknown
}

/** By its shape: an application can have two copies of Nest, and `instanceof` knows only one. */
function isHttpException(error: unknown): error is HttpExceptionLike {
  return (
    error instanceof Error &&
    typeof (error as Partial<HttpExceptionLike>).getStatus === 'function' &&
    typeof (error as Partial<HttpExceptionLike>).getResponse === 'function'
  )
}

/** What is wrong stands in the response of a ValidationPipe's exception: one line per field, or grouped by field. */
function describe(error: HttpExceptionLike): string {
  const response = error.getResponse()
  const details: unknown =
    typeof response === 'object' && response !== null && 'message' in response ? response.message : undefined
  if (Array.isArray(details)) return `${error.name}: ${details.join('; ')}`
  if (typeof details === 'object' && details !== null) return `${error.name}: ${JSON.stringify(details)}`
  return `${error.name}: ${error.message}`
}
