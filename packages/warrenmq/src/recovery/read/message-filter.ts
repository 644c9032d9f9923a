import { type IncomingMessage, joinBody } from '../../broker/amqp/message.ts'
import { causeOf } from '../../message/fingerprint-cause.ts'
import { type EncodedHeaders, headerValue } from '../../message/header-values.ts'
import { toPlainField } from '../../wire/plain-fields.ts'
import { readProperty } from '../../wire/properties.ts'
import { type Filter, type FilterSubject, matchesFilter } from './filter.ts'
import { parseExactJson } from './parse-exact-json.ts'
import { attemptsOf, diedAt, originOf, typesOf } from './read-dead-letter.ts'
import { addressOf } from './read-origin.ts'

/** A filter as a question to messages. `nowMs` is the moment that `died<2h` counts back from. */
export function messageFilter(filter: Filter, nowMs: number): (message: IncomingMessage) => boolean {
  return (message) => matchesFilter(filter, subjectOf(message, nowMs))
}

/** What filters and groups ask of a message. */
export function subjectOf(message: IncomingMessage, nowMs: number): FilterSubject {
  return new MessageSubject(message, nowMs)
}

/**
 * Works out a field when it is asked for; most filters ask for one. A class, because V8 makes an object with accessors
 * of its own ten times as slowly, and there is one for each message of a queue.
 */
class MessageSubject implements FilterSubject {
  readonly #message: IncomingMessage
  readonly #nowMs: number
  readonly #headers: EncodedHeaders

  constructor(message: IncomingMessage, nowMs: number) {
    this.#message = message
    this.#nowMs = nowMs
    this.#headers = readProperty(message.properties, 'headers')
  }

  get id() {
    return readProperty(this.#message.properties, 'messageId')
  }

  get types() {
    return typesOf(this.#message)
  }

  get queue() {
    return originOf(this.#headers)
  }

  get exchange() {
    return addressOf(this.#message).exchange
  }

  get key() {
    return addressOf(this.#message).key
  }

  get cause() {
    return causeOf(this.#headers)
  }

  get ageMs() {
    const timeMs = diedAt(this.#headers)
    return timeMs === undefined ? undefined : this.#nowMs - timeMs
  }

  get diedAtMs() {
    return diedAt(this.#headers)
  }

  get attempts() {
    return attemptsOf(this.#headers)
  }

  header(name: string) {
    const value = headerValue(this.#headers, name)
    return value && toPlainField(value)
  }

  get json() {
    return parseExactJson(this.#text())
  }

  get text() {
    const id = this.id ?? ''
    const written = this.#headers?.toString('utf8') ?? ''
    return [this.#text(), id, this.cause.label, written].join('\n')
  }

  #text() {
    return joinBody(this.#message.body).toString('utf8')
  }
}
