import { hash } from 'node:crypto'
import { type IncomingMessage, joinBody } from '../../broker/amqp/message.ts'
import type { RawProperties } from '../../wire/properties.ts'
import { identifyMessage } from './identify-message.ts'

/** One message in a backup: every property and header byte for byte, with its AMQP type. */
export interface BackupRecord {
  /** Its place in the file, from 1. */
  readonly number: number
  /**
   * The same for the same message, whatever a broker counted on it meanwhile. In a file it tells how the version that
   * wrote it computed it; who looks for a record in a queue computes it anew (`identifyMessage`).
   */
  readonly id: string
  readonly exchange: string
  readonly routingKey: string
  readonly properties: RawProperties
  readonly body: Buffer
}

/** What the first line of a backup says. */
export interface BackupHeader {
  readonly format: 'warren-backup/1'
  readonly id: string
  /** `discard`: the messages in it were removed from the queue, if the file says so at its end. */
  readonly purpose: 'backup' | 'discard'
  readonly queue: string
  readonly vhost: string
  readonly brokerVersion: string
  readonly by: string
  readonly startedAt: string
}

/** What is written behind the last record: the file is complete. */
export interface BackupSeal {
  readonly records: number
  readonly bodyBytes: number
  /** SHA-256 over every byte before it, unpacked. */
  readonly digest: string
  readonly sealedAt: string
}

/** The last line of a discard: the messages are gone from the queue. */
export interface RemovalMark {
  readonly removed: number
  readonly removedAt: string
}

export type BackupLine =
  | { readonly kind: 'header'; readonly header: BackupHeader }
  | { readonly kind: 'record'; readonly record: BackupRecord }
  | { readonly kind: 'seal'; readonly seal: BackupSeal }
  | { readonly kind: 'removal'; readonly mark: RemovalMark }

export function toRecord(message: IncomingMessage, number: number): BackupRecord {
  const { exchange, routingKey, properties } = message
  const body = joinBody(message.body)
  return { number, id: identifyMessage({ properties, body }), exchange, routingKey, properties, body }
}

/** A line of JSON; bytes are base64, the properties in the encoding of AMQP 0-9-1. */
export function writeRecord(record: BackupRecord): string {
  const { number, id, exchange, routingKey, properties, body } = record
  const bytes = { properties: properties.toString('base64'), body: body.toString('base64') }
  return `${JSON.stringify({ number, id, exchange, routingKey, ...bytes, digest: digestRecord(record) })}\n`
}

/** Reads a line of a backup. What is wrong with it comes back as a sentence. */
export function readLine(line: string): BackupLine | { readonly kind: 'invalid'; readonly problem: string } {
  const value = parse(line)
  if (value === undefined) return { kind: 'invalid', problem: 'It is no line of JSON.' }
  if (value.format === 'warren-backup/1') return { kind: 'header', header: value as unknown as BackupHeader }
  if (typeof value.sealedAt === 'string') return { kind: 'seal', seal: value as unknown as BackupSeal }
  if (typeof value.removedAt === 'string') return { kind: 'removal', mark: value as unknown as RemovalMark }
  if (!isRecord(value)) return { kind: 'invalid', problem: 'It is neither a record nor an end.' }
  const { digest, ...fields } = value
  const record = {
    ...fields,
    properties: Buffer.from(fields.properties, 'base64'),
    body: Buffer.from(fields.body, 'base64'),
  }
  if (digestRecord(record) !== digest) return { kind: 'invalid', problem: 'Its digest does not fit.' }
  return { kind: 'record', record }
}

interface WrittenRecord {
  readonly number: number
  readonly id: string
  readonly exchange: string
  readonly routingKey: string
  readonly properties: string
  readonly body: string
  readonly digest: string
}

function parse(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined // told by the caller, with the place in the file
  }
}

function isRecord(value: object): value is WrittenRecord {
  const { number, ...texts } = value as Record<string, unknown>
  const names = ['id', 'exchange', 'routingKey', 'properties', 'body', 'digest']
  return Number.isSafeInteger(number) && names.every((name) => typeof texts[name] === 'string')
}

/** Lengths go in as well, so that no byte can move from one field to the next. */
function digestRecord({ number, id, exchange, routingKey, properties, body }: BackupRecord): string {
  const head = JSON.stringify([number, id, exchange, routingKey, properties.length, body.length])
  return hash('sha256', Buffer.concat([Buffer.from(head), properties, body]), 'hex')
}
