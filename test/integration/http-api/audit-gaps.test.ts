import { describe, expect, it, onTestFinished } from 'vitest'
import { type AuditLog, findAuditLog } from '../../../packages/cli/src/http-api/audit/audit-log.ts'
import {
  type AuditEntry,
  type ChainEnd,
  chainRecord,
  noRecord,
  type SeenRecord,
} from '../../../packages/cli/src/http-api/audit/audit-record.ts'
import { readOldest, readRange } from '../../../packages/cli/src/http-api/audit/read-range.ts'
import { verifyStream } from '../../../packages/cli/src/http-api/audit/verify-stream.ts'
import { declareStream } from '../../../packages/cli/src/http-api/records/follow-stream.ts'
import { Session } from '../../../packages/warrenmq/src/broker/amqp/session.ts'
import { Publisher } from '../../../packages/warrenmq/src/publisher/publisher.ts'
import type { PlainTable } from '../../../packages/warrenmq/src/wire/plain-fields.ts'
import { createVhost } from '../../support/use-broker.ts'

const stream = 'warren.audit'
const reader = { by: 'test', wayIn: 'token', from: 'here' }
const entry: AuditEntry = {
  ...reader,
  action: 'redrive',
  target: 'a.dlq',
  reason: 'x'.repeat(500),
  result: 'begun',
  receiptDigest: null,
}

/** A log in small segments. RabbitMQ leaves an offset out where it begins another one, which is every few records. */
async function setup(limits: PlainTable = {}) {
  const vhost = await createVhost()
  onTestFinished(vhost.drop)
  const session = await Session.open(vhost.url)
  onTestFinished(() => session.close())
  await declareStream(session, stream, { 'x-stream-max-segment-size-bytes': 10_000, ...limits })
  const log = (await findAuditLog({ consuming: session, publishing: session }))!
  onTestFinished(() => log.close())
  return { session, log }
}

async function writeAll(log: AuditLog, count: number): Promise<void> {
  for (let at = 0; at < count; at += 1) await log.write({ ...entry, target: `q-${at}` })
}

/** What was written by `writeAll`, read page by page. */
async function readPages(log: AuditLog, limit: number): Promise<string[]> {
  const found: string[] = []
  let before: number | undefined
  do {
    const page = await log.readPage({ limit, before }, reader)
    found.unshift(...page.records.filter(({ action }) => action === 'redrive').map(({ target }) => target))
    before = page.next ?? undefined
  } while (before !== undefined)
  return found
}

/** Offsets that the stream has left out, up to its last one. */
async function findGaps(session: Session, to: number): Promise<number[]> {
  const offsets = new Set((await readRange(session, { stream, from: 0, to })).map(({ offset }) => offset))
  return Array.from({ length: to + 1 }, (_, at) => at).filter((at) => !offsets.has(at))
}

describe('a log whose offsets have gaps', () => {
  it('is read to its first record, also by a page that begins or ends in a gap', async () => {
    const { session, log } = await setup()
    await writeAll(log, 40)

    const gaps = await findGaps(session, 40)
    const [gap] = gaps as [number]
    const begins = await log.readPage({ limit: 5, before: gap + 5 }, reader)
    const ends = await log.readPage({ limit: 5, before: gap + 1 }, reader)
    const within = await log.readPage({ limit: 1, before: gap + 1 }, reader)

    expect(gaps.length).toBeGreaterThan(0)
    expect([begins.records.length, begins.next]).toEqual([4, gap])
    expect([ends.records.length, ends.next]).toEqual([4, gap - 4])
    expect([within.records.length, within.next]).toEqual([0, gap])
    expect(await readPages(log, 7)).toEqual(Array.from({ length: 40 }, (_, at) => `q-${at}`))
  })

  it('is whole', async () => {
    const { log } = await setup()
    await writeAll(log, 40)

    expect(await log.verify(reader)).toMatchObject({ kind: 'whole', records: 41, isCut: false })
  })

  it('is whole and read to what is left of it where the broker has cut off its beginning', async () => {
    const { session, log } = await setup({ 'x-max-length-bytes': 20_000 })
    await writeAll(log, 80)

    const oldest = await readOldest(session, stream)
    const pages = await readPages(log, 9)

    expect(oldest).toBeGreaterThan(0)
    expect(pages.at(-1)).toBe('q-79')
    expect(pages).toEqual(Array.from({ length: pages.length }, (_, at) => `q-${80 - pages.length + at}`))
    expect(await log.verify(reader)).toMatchObject({ kind: 'whole', isCut: true })
  })
})

describe('a record that names one of another writer of long ago', () => {
  /** One record of `b`, many of `a`, and one of `c` that names what it says to have seen at the beginning. */
  async function writeNaming(name: (first: string) => SeenRecord) {
    const { session } = await setup({ 'x-stream-max-segment-size-bytes': 1_000_000 })
    const publisher = new Publisher(session)
    onTestFinished(() => publisher.close())
    const ends = new Map<string, ChainEnd>()
    const write = async (writer: string, seen?: SeenRecord): Promise<string> => {
      const end = ends.get(writer) ?? { writer, number: 0, hash: noRecord }
      const record = chainRecord(entry, { end, seen, at: '2030-01-01T00:00:00Z' })
      ends.set(writer, record)
      await publisher.publish({ key: stream, body: record })
      return record.hash
    }
    const first = await write('b')
    for (let at = 0; at < 10; at += 1) await write('a')
    await write('c', name(first))
    return verifyStream(session, { stream, to: 11, remembered: 4 })
  }

  it('is proved by reading that one again', async () => {
    const verdict = await writeNaming((hash) => ({ hash, offset: 0 }))

    expect(verdict).toMatchObject({ kind: 'whole', records: 12, writers: 3 })
  })

  it.each<[string, (hash: string) => SeenRecord]>([
    ['was never there', () => ({ hash: 'f'.repeat(64), offset: 0 })],
    ['stands elsewhere', (hash) => ({ hash, offset: 3 })],
  ])('is not believed where that one %s', async (_, name) => {
    expect(await writeNaming(name)).toMatchObject({ kind: 'broken', problems: [{ at: 11 }] })
  })
})
