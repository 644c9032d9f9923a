import { type IncomingMessage, joinBody } from '../broker/amqp/message.ts'
import { causeOf } from '../message/fingerprint-cause.ts'
import { headerValue } from '../message/header-values.ts'
import { toPlainField } from '../wire/plain-fields.ts'
import { readProperty } from '../wire/properties.ts'
import { type Filter, type FilterSubject, matchesFilter } from './filter.ts'
import { attemptsOf, diedAt, originOf, typeOf } from './read-dead-letter.ts'

/** A filter as a question to messages. `nowMs` is the moment that `died<2h` counts back from. */
export function messageFilter(filter: Filter, nowMs: number): (message: IncomingMessage) => boolean {
  return (message) => matchesFilter(filter, subjectOf(message, nowMs))
}

function subjectOf(message: IncomingMessage, nowMs: number): FilterSubject {
  const headers = readProperty(message.properties, 'headers')
  return {
    get id() {
      return readProperty(message.properties, 'messageId')
    },
    get type() {
      return typeOf(message)
    },
    get queue() {
      return originOf(headers)
    },
    get cause() {
      return causeOf(headers)
    },
    get ageMs() {
      const timeMs = diedAt(headers)
      return timeMs === undefined ? undefined : nowMs - timeMs
    },
    get attempts() {
      return attemptsOf(headers)
    },
    header: (name) => {
      const value = headerValue(headers, name)
      return value && toPlainField(value)
    },
    get json() {
      return readJson(joinBody(message.body))
    },
    get text() {
      const id = readProperty(message.properties, 'messageId') ?? ''
      const written = headers?.toString('utf8') ?? ''
      return [joinBody(message.body).toString('utf8'), id, causeOf(headers).label, written].join('\n')
    },
  }
}

function readJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return undefined // not JSON: a condition on the body does not hold
  }
}
