import { type IncomingMessage, joinBody } from '../../broker/amqp/message.ts'
import { causeOf } from '../../message/fingerprint-cause.ts'
import { headerValue } from '../../message/header-values.ts'
import { toPlainField } from '../../wire/plain-fields.ts'
import { readProperty } from '../../wire/properties.ts'
import { type Filter, type FilterSubject, matchesFilter } from './filter.ts'
import { parseExactJson } from './parse-exact-json.ts'
import { attemptsOf, diedAt, originOf, typesOf } from './read-dead-letter.ts'
import { addressOf } from './read-origin.ts'

/**
 * A filter as a question to messages. `nowMs` is the moment that `died<2h` counts back from.
 * @example
 * ```ts
 * const isWanted = messageFilter(parseFilter('died<2h'), Date.now())(message)
 * ```
 */
export function messageFilter(filter: Filter, nowMs: number): (message: IncomingMessage) => boolean {
  return (message) => matchesFilter(filter, subjectOf(message, nowMs))
}

/** What filters and groups ask of a message. */
export function subjectOf(message: IncomingMessage, nowMs: number): FilterSubject {
  const headers = readProperty(message.properties, 'headers')
  return {
    get id() {
      return readProperty(message.properties, 'messageId')
    },
    get types() {
      return typesOf(message)
    },
    get queue() {
      return originOf(headers)
    },
    get exchange() {
      return addressOf(message).exchange
    },
    get key() {
      return addressOf(message).key
    },
    get cause() {
      return causeOf(headers)
    },
    get ageMs() {
      const timeMs = diedAt(headers)
      return timeMs === undefined ? undefined : nowMs - timeMs
    },
    get diedAtMs() {
      return diedAt(headers)
    },
    get attempts() {
      return attemptsOf(headers)
    },
    header: (name) => {
      const value = headerValue(headers, name)
      return value && toPlainField(value)
    },
    get json() {
      return parseExactJson(joinBody(message.body).toString('utf8'))
    },
    get text() {
      const id = readProperty(message.properties, 'messageId') ?? ''
      const written = headers?.toString('utf8') ?? ''
      return [joinBody(message.body).toString('utf8'), id, causeOf(headers).label, written].join('\n')
    },
  }
}
