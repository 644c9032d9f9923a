import { joinBody, type ReturnedMessage } from '../broker/amqp/message.ts'
import { sizeOfBody } from '../wire/frame-writer.ts'
import { readProperty } from '../wire/properties.ts'
import { isSameText } from '../wire/short-text.ts'
import type { EncodedMessage } from './outgoing-message.ts'

interface Published {
  readonly message: EncodedMessage
}

/** What a return may be of. */
export interface ReturnCandidates<Publish extends Published> {
  /** Publishes of this channel settled without an answer, so the return of one of them is still to come. */
  readonly hasGivenUp: boolean
  /** Those without an answer, in the order of publishing, until `visit` has seen enough. */
  readonly some: (visit: (publish: Publish) => boolean) => boolean
}

/** The publish that came back; or, where nobody can tell, all that it may be. None of these is in a queue for sure. */
export interface ReturnedPublish<Publish> {
  readonly publish: Publish | undefined
  readonly inDoubt: readonly Publish[]
}

/**
 * Which publish did the broker give back? A return carries no number, so everything that tells two messages apart is
 * compared. Two that are alike in all of it are the same message to any reader.
 */
export function decideReturned<Publish extends Published>(
  returned: ReturnedMessage,
  candidates: ReturnCandidates<Publish>,
): ReturnedPublish<Publish> {
  // Headers decide the route, too, so the one with the same goes first. The broker may take some away (BCC).
  const publish = first(candidates, isExactReturnOf, returned) ?? first(candidates, isReturnOf, returned)
  return publish ? { publish, inDoubt: [] } : decideByOrder(returned, candidates)
}

/** Nothing is like it: a body that was changed after it was sent, say. It is one of those without an answer all the same. */
function decideByOrder<Publish extends Published>(
  returned: ReturnedMessage,
  { hasGivenUp, some }: ReturnCandidates<Publish>,
): ReturnedPublish<Publish> {
  const all: Publish[] = []
  some((publish) => {
    if (publish.message.mandatory !== false) all.push(publish)
    return false
  })
  const id = readProperty(returned.properties, 'messageId')
  const alike = all.filter(({ message }) => readProperty(message.properties, 'messageId') === id)
  const isSure = alike.length === 1 && (id !== undefined || !hasGivenUp)
  if (isSure) return { publish: alike[0], inDoubt: [] }
  if (alike.length === 0 && hasGivenUp) return { publish: undefined, inDoubt: [] } // it is one of those
  return { publish: undefined, inDoubt: alike.length > 0 ? alike : all }
}

function first<Publish extends Published>(
  { some }: ReturnCandidates<Publish>,
  isReturn: typeof isReturnOf,
  returned: ReturnedMessage,
): Publish | undefined {
  let found: Publish | undefined
  some((publish) => {
    if (isReturn(publish.message, returned)) found = publish
    return found !== undefined
  })
  return found
}

/** Is it this one to the last byte? */
function isExactReturnOf(published: EncodedMessage, returned: ReturnedMessage): boolean {
  return published.properties.equals(returned.properties) && isReturnOf(published, returned)
}

function isReturnOf(published: EncodedMessage, returned: ReturnedMessage): boolean {
  return (
    published.mandatory !== false &&
    isSameText(published.exchange, returned.exchange) &&
    isSameText(published.key, returned.routingKey) &&
    sizeOfBody(published.body) === returned.bodyBytes &&
    readProperty(published.properties, 'messageId') === readProperty(returned.properties, 'messageId') &&
    readProperty(published.properties, 'correlationId') ===
      readProperty(returned.properties, 'correlationId') &&
    joinBody(published.body).equals(joinBody(returned.body))
  )
}
