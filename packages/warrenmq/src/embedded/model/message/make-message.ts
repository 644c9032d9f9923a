import { findHeader } from '../../../wire/edit-table.ts'
import { type Body, sizeOfBody } from '../../../wire/frame-writer.ts'
import { editProperties, type RawProperties, readProperty } from '../../../wire/properties.ts'
import { ProtocolError } from '../protocol-error.ts'
import type { Message } from './message.ts'
import { textOf, typeNameOf } from './terms.ts'

export interface Publication {
  readonly exchange: string
  readonly routingKey: string
  readonly properties: RawProperties
  readonly body: Body
}

/** Where versions differ in what they make of a publication. */
export interface PublishRules {
  /** 3.x refuses a delivery mode that is neither 1 nor 2; 4.x takes it for transient. */
  readonly refusesUnknownDeliveryMode: boolean
  /** The properties as any consumer will see them. */
  normalise(properties: RawProperties): RawProperties
}

/** What a publication becomes, or the refusal that it gets. */
export function makeMessage(publication: Publication, rules: PublishRules): Message {
  const { properties } = publication
  const headers = readProperty(properties, 'headers')
  const carbonCopies = readKeys(headers, 'CC')
  const blindCopies = readKeys(headers, 'BCC')
  const withoutBcc =
    blindCopies === undefined
      ? properties
      : editProperties(properties, { headers: { remove: (name) => name === 'BCC' } })
  return {
    exchange: publication.exchange,
    routingKeys: [publication.routingKey, ...(carbonCopies ?? []), ...(blindCopies ?? [])],
    bccKeys: blindCopies ?? noKeys,
    properties: rules.normalise(withoutBcc),
    body: publication.body,
    bodyBytes: sizeOfBody(publication.body),
    propertiesBytes: properties.length,
    isPersistent: readPersistence(properties, rules),
    priority: readProperty(properties, 'priority'),
    expirationMs: readExpiration(properties),
    deaths: noDeaths,
    carriedDeliveryCount: undefined,
  }
}

const noKeys: readonly string[] = []
const noDeaths: Message['deaths'] = []

function readKeys(headers: Buffer | undefined, name: 'CC' | 'BCC'): readonly string[] | undefined {
  const keys = headers && findHeader(headers, name)
  if (!keys) return undefined
  if (keys.type === 'A') return keys.value.flatMap((key) => textOf(key) ?? [])
  throw new ProtocolError(
    'PRECONDITION_FAILED',
    `invalid message: {unacceptable_type_in_header,"${name}",${typeNameOf(keys)}}`,
  )
}

function readPersistence(properties: RawProperties, rules: PublishRules): boolean {
  const mode = readProperty(properties, 'deliveryMode') ?? 1
  if (rules.refusesUnknownDeliveryMode && mode !== 1 && mode !== 2) {
    throw new ProtocolError('PRECONDITION_FAILED', `invalid message: {delivery_mode_unknown,${mode}}`)
  }
  return mode === 2
}

const tenYearsMs = 315_360_000_000

function readExpiration(properties: RawProperties): number | undefined {
  const text = readProperty(properties, 'expiration')
  if (text === undefined) return undefined
  const [, digits, rest] = /^([+-]?\d+)?(.*)$/s.exec(text)!
  if (digits === undefined) throw badExpiration(text, 'no_integer')
  if (rest !== '') throw badExpiration(text, `{leftover_string,${JSON.stringify(rest)}}`)
  const milliseconds = Number(digits)
  if (milliseconds < 0) throw badExpiration(text, `{value_negative,${milliseconds}}`)
  if (milliseconds > tenYearsMs) throw badExpiration(text, `{value_too_large,${BigInt(digits)}}`)
  return milliseconds
}

function badExpiration(text: string, problem: string): ProtocolError {
  return new ProtocolError('PRECONDITION_FAILED', `invalid expiration '${text}': ${problem}`)
}
