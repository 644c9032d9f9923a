import { type EncodedHeaders, headerInteger } from '../../message/header-values.ts'
import { consumerHeaders } from '../settle/consumer-headers.ts'
import type { GivenBack } from '../settle/near-limit.ts'

/**
 * What is known about a message that may have ended the process of its handler. After a crash nobody can know which of
 * the messages did it, or which of them a handler saw at all. So messages that were there too often run alone, one
 * after the other, and only these runs count against them.
 */
export type Standing =
  | { readonly kind: 'free' }
  /** It waits for its turn to be marked, and loses nothing if the process ends in the meantime. */
  | { readonly kind: 'suspect'; readonly runsAlone: number }
  /** A marked copy that was not delivered before: it runs immediately, with nothing beside it. */
  | { readonly kind: 'alone' }

const free: Standing = { kind: 'free' }
const alone: Standing = { kind: 'alone' }

export function decideStanding({
  headers,
  isRedelivered,
  hasLimit,
  givenBack,
}: {
  readonly headers: EncodedHeaders
  readonly isRedelivered: boolean
  /** False if nothing is poison, or if poison could not be parked. */
  readonly hasLimit: boolean
  readonly givenBack?: GivenBack | undefined
}): Standing {
  if (headers === undefined || !hasLimit) return free
  const runsBefore = headerInteger(headers, consumerHeaders.suspect)
  if (runsBefore === undefined) return free
  if (headerInteger(headers, consumerHeaders.alone) === undefined)
    return { kind: 'suspect', runsAlone: runsBefore }
  // A message that we gave back ourselves has not run since.
  const wasRun = isRedelivered && !givenBack?.isLast
  return wasRun ? { kind: 'suspect', runsAlone: runsBefore + 1 } : alone
}
