import { hash } from 'node:crypto'
import { type IncomingMessage, joinBody } from '../../broker/amqp/message.ts'
import type { RawProperties } from '../../wire/properties.ts'

/** One message in a backup: every property and header byte for byte, with its AMQP type. */
export interface BackupRecord {
  /** The run that wrote it, from 1: a file that was continued has several. */
  readonly run: number
  /** Its place among the records of its run, from 1. */
  readonly number: number
  /** In a file of 0.1 only, as that version computed it. */
  readonly id?: string | undefined
  /** Where the message had been published, as its queue had it. */
  readonly exchange: string
  /** The key it had been published with. */
  readonly routingKey: string
  /** Its properties and headers, as encoded bytes. */
  readonly properties: RawProperties
  /** The whole body. */
  readonly body: Buffer
}

/** What the first line of a backup says. Later lines repeat it, in case the first is damaged. */
export interface BackupHeader {
  /** 0.1 wrote `warren-backup/1`. */
  readonly format: 'warren-backup/1' | 'warren-backup/2'
  /** Tells the file from others; a restore journal names its backup by it. */
  readonly id: string
  /** `discard`: the file says of each record whether its message was removed from the queue. */
  readonly purpose: 'backup' | 'discard'
  /** The queue that it was made of. */
  readonly queue: string
  /** The vhost of that queue. */
  readonly vhost: string
  /** The version of RabbitMQ that the queue was on. */
  readonly brokerVersion: string
  /** Who made it. */
  readonly by: string
  /** When it began, in ISO 8601. */
  readonly startedAt: string
}

/** The first line of a run that continues a file. */
export interface RunStart {
  /** The number of the run, from 2. */
  readonly run: number
  /** When it began, in ISO 8601. */
  readonly resumedAt: string
  /** Who continued the file. */
  readonly by: string
  /** This many bytes right before it are what an interruption left of a block. */
  readonly tornBytes: number
}

/** What a discard writes before it acknowledges: every ack is announced by a line on the disk. */
export interface RemovalProgress {
  /** The run that it is about, from 1. */
  readonly run: number
  /** The broker has proved that this many records, from the first, are gone. */
  readonly removed: number
  /** From now on, the acks up to this record are in flight. */
  readonly removing: number
  /** Not even a crash of the broker brings back what is removed: it is on the disks of a quorum queue. @default false */
  readonly survivesCrash?: boolean | undefined
}

/** The last line of a run. */
export interface BackupSeal {
  /** The run that it ends, from 1: a file that was continued has several. */
  readonly run: number
  /** Messages in the file. */
  readonly records: number
  /** Bytes of all bodies together. */
  readonly bodyBytes: number
  /** SHA-256 over every line before it. */
  readonly digest: string
  /** When the run ended, in ISO 8601. */
  readonly sealedAt: string
  /** Of a discard: this many records, from the first, are gone from the queue. */
  readonly removed?: number | undefined
  /** Of a discard: this many after them were acknowledged, and the broker did not answer. */
  readonly inDoubt?: number | undefined
  /** Of a discard: as of `RemovalProgress`. */
  readonly survivesCrash?: boolean | undefined
}

/** The last line of a discard of 0.1: all its messages are gone from the queue. */
export interface RemovalMark {
  /** All messages of the discard. */
  readonly removed: number
  /** When that was known, in ISO 8601. */
  readonly removedAt: string
}

/** One line of a backup, by what it says. */
export type BackupLine =
  /** What the file is a backup of. */
  | { readonly kind: 'header'; readonly header: BackupHeader }
  /** One message. */
  | { readonly kind: 'record'; readonly record: BackupRecord }
  /** A run continues the file here. */
  | { readonly kind: 'start'; readonly start: RunStart }
  /** How far a discard has come. */
  | { readonly kind: 'progress'; readonly progress: RemovalProgress }
  /** A run ended here, with its counts and digest. */
  | { readonly kind: 'seal'; readonly seal: BackupSeal }
  /** A discard of 0.1 ended here. */
  | { readonly kind: 'removal'; readonly mark: RemovalMark }

/** A line as it is read; `header` is the one that it repeats. */
export type ReadLine =
  | (BackupLine & {
      /** The header that the line repeats; undefined if it repeats none. */
      readonly header?: BackupHeader | undefined
    })
  /** It cannot be read. */
  | { readonly kind: 'invalid'; readonly header?: undefined }

export function toRecord(message: IncomingMessage, place: { run: number; number: number }): BackupRecord {
  const { exchange, routingKey, properties } = message
  return { ...place, exchange, routingKey, properties, body: joinBody(message.body) }
}

/** A line of JSON; bytes are base64, the properties in the encoding of AMQP 0-9-1. */
export function writeRecord(record: BackupRecord): string {
  const { run, number, id, exchange, routingKey, properties, body } = record
  const bytes = { properties: properties.toString('base64'), body: body.toString('base64') }
  return `${JSON.stringify({ run, number, id, exchange, routingKey, ...bytes, digest: digestRecord(record) })}\n`
}

/**
 * Reads a line of a backup. A record is believed by its own digest; any other line needs that of its block.
 * @example
 * ```ts
 * const line = readLine(text)
 * ```
 */
export function readLine(line: string): ReadLine {
  const value = parse(line)
  if (value === undefined) return { kind: 'invalid' }
  const { header, ...fields } = value
  if (isHeader(fields)) return { kind: 'header', header: fields }
  const repeated = isHeader(header) ? { header } : {}
  if (isTyped<WrittenSeal>(fields, sealShape)) {
    return { kind: 'seal', seal: { ...fields, run: fields.run ?? 1 }, ...repeated }
  }
  if (isTyped<RemovalMark>(fields, markShape)) return { kind: 'removal', mark: fields }
  if (isTyped<RunStart>(fields, startShape)) return { kind: 'start', start: fields, ...repeated }
  if (isTyped<RemovalProgress>(fields, progressShape))
    return { kind: 'progress', progress: fields, ...repeated }
  return readRecord(fields)
}

/** 0.1 wrote no run. */
type WrittenSeal = Omit<BackupSeal, 'run'> & Partial<Pick<BackupSeal, 'run'>>

interface WrittenRecord {
  readonly run?: number
  readonly number: number
  readonly id?: string
  readonly exchange: string
  readonly routingKey: string
  readonly properties: string
  readonly body: string
  readonly digest: string
}

function readRecord(fields: Readonly<Record<string, unknown>>): ReadLine {
  if (!isTyped<WrittenRecord>(fields, recordShape)) return { kind: 'invalid' }
  const { digest, run = 1, number, id, exchange, routingKey } = fields
  const bytes = {
    properties: Buffer.from(fields.properties, 'base64'),
    body: Buffer.from(fields.body, 'base64'),
  }
  const record = { run, number, id, exchange, routingKey, ...bytes }
  return digestRecord(record) === digest ? { kind: 'record', record } : { kind: 'invalid' }
}

type Shape = Readonly<Record<string, 'string' | 'count'>>
const sealShape: Shape = { records: 'count', bodyBytes: 'count', digest: 'string', sealedAt: 'string' }
const markShape: Shape = { removed: 'count', removedAt: 'string' }
const startShape: Shape = { run: 'count', resumedAt: 'string', by: 'string', tornBytes: 'count' }
const progressShape: Shape = { run: 'count', removed: 'count', removing: 'count' }
const texts = ['exchange', 'routingKey', 'properties', 'body', 'digest']
const recordShape: Shape = { number: 'count', ...Object.fromEntries(texts.map((name) => [name, 'string'])) }

function isTyped<Line>(value: object, shape: Shape): value is Line & object {
  const fields = value as Readonly<Record<string, unknown>>
  return Object.entries(shape).every(([name, type]) =>
    type === 'count' ? Number.isSafeInteger(fields[name]) : typeof fields[name] === 'string',
  )
}

const formats: readonly unknown[] = ['warren-backup/1', 'warren-backup/2']

function isHeader(value: unknown): value is BackupHeader {
  return typeof value === 'object' && value !== null && formats.includes((value as BackupHeader).format)
}

function parse(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined // told by the caller, with the place in the file
  }
}

/** Lengths go in as well, so that no byte can move from one field to the next. Files of 0.1 have one run, and an id. */
function digestRecord({ run, number, id, exchange, routingKey, properties, body }: BackupRecord): string {
  const place = id === undefined ? [run, number] : [number, id]
  const head = JSON.stringify([...place, exchange, routingKey, properties.length, body.length])
  return hash('sha256', Buffer.concat([Buffer.from(head), properties, body]), 'hex')
}
