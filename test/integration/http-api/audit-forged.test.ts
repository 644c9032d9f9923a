import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { afterAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import type { AuditVerdict } from '../../../packages/cli/src/http-api/audit/audit-check.ts'
import { type AuditLog, openAuditLog } from '../../../packages/cli/src/http-api/audit/audit-log.ts'
import {
  type AuditEntry,
  chainRecord,
  noRecord,
} from '../../../packages/cli/src/http-api/audit/audit-record.ts'
import type { AuditRecord } from '../../../packages/cli/src/http-api/contract/contract.ts'
import { readServerKeys } from '../../../packages/cli/src/http-api/records/server-keys.ts'
import { runCli } from '../../../packages/cli/src/run-cli.ts'
import { Session } from '../../../packages/warrenmq/src/broker/amqp/session.ts'
import { Publisher } from '../../../packages/warrenmq/src/publisher/publisher.ts'
import { createVhost } from '../../support/use-broker.ts'
import { serverKey } from './api-rig.ts'

const reader = { by: 'test', wayIn: 'token', from: 'here' }
const entry: AuditEntry = {
  ...reader,
  action: 'redrive',
  target: 'a.dlq',
  reason: null,
  result: 'begun',
  receiptDigest: null,
}

const here = process.cwd()
beforeEach(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'warren-forged-'))
  process.chdir(folder) // the command looks for its config where it is called
  onTestFinished(async () => {
    process.chdir(here)
    await rm(folder, { recursive: true, force: true })
  })
})
afterAll(() => process.chdir(here))

/** A log that servers with a key have written, and somebody without it who may write, too. */
async function setup() {
  const broker = await createVhost()
  onTestFinished(broker.drop)
  const session = await Session.open(broker.url)
  onTestFinished(() => session.close())
  const lines = { consuming: session, publishing: session }
  const open = async (env: Record<string, string> = serverKey): Promise<AuditLog> => {
    const log = await openAuditLog({ ...lines, keys: readServerKeys(env) })
    onTestFinished(() => log.close())
    return log
  }
  const publisher = new Publisher(session)
  const forge = async (body: unknown) => {
    expect((await publisher.publish({ key: 'warren.audit', body })).kind).toBe('confirmed')
  }
  const warren = async (args: readonly string[], env: Record<string, string> = serverKey) => {
    const printed = { out: '', err: '' }
    const to = (name: 'out' | 'err') =>
      new Writable({
        write: (chunk, _encoding, done) => {
          printed[name] += chunk
          done()
        },
      })
    const streams = { stdout: to('out'), stderr: to('err'), env }
    const exitCode = await runCli(['audit', ...args, '--url', broker.url], streams)
    return { exitCode, ...printed }
  }
  return { open, forge, warren }
}

async function writeAll(log: AuditLog, count: number): Promise<AuditRecord> {
  let last = await log.write(entry)
  for (let at = 1; at < count; at += 1) last = await log.write({ ...entry, target: `q-${at}` })
  return last
}

describe('warren audit --verify with the key of the servers', () => {
  it('finds nothing in what servers and the command line wrote', async () => {
    const { open, warren } = await setup()
    for (const log of [await open(), await open()]) await writeAll(log, 3)
    await warren([])

    const { exitCode, out } = await warren(['--verify', '--json'])

    expect(exitCode, out).toBe(0)
    expect(JSON.parse(out)).toMatchObject({
      kind: 'whole',
      isKeyed: true,
      records: 8,
      signed: 8,
      unsigned: 0,
      foreign: 0,
      writers: 4,
    })
  })

  it.each<[string, (last: AuditRecord) => AuditRecord]>([
    [
      'an invented writer',
      () =>
        chainRecord(entry, { end: { writer: 'x', number: 0, hash: noRecord }, seen: undefined, at: 'now' }),
    ],
    [
      "a record that was added to an ended server's chain",
      (last) => chainRecord(entry, { end: last, seen: undefined, at: 'now' }),
    ],
  ])('finds %s, and goes on behind it', async (_, make) => {
    const { open, forge, warren } = await setup()
    const ended = await open()
    const last = await writeAll(ended, 3)
    await ended.close()
    await forge(make(last))
    await writeAll(await open(), 2)

    const keyed = await warren(['--verify'])
    const keyless = await warren(['--verify'], {})

    expect(keyed.exitCode).toBe(1)
    expect(keyed.err).toContain('The audit log is broken at record 4. It is not signed')
    expect(keyed.err).toContain('(6 signed, 1 not)')
    expect(keyless.out).toContain('seals are not checked')
  })

  it('finds that all of it was written anew', async () => {
    const { open, forge, warren } = await setup()
    // Without a key nothing is signed, however well it is chained.
    await writeAll(await open({ WARREN_SERVER_KEY: '' }), 5)
    await forge(
      chainRecord(entry, { end: { writer: 'x', number: 0, hash: noRecord }, seen: undefined, at: '' }),
    )

    const { exitCode, err, out } = await warren(['--verify'])

    expect(exitCode).toBe(1)
    expect(err).toContain('More problems: 5. Seen: 7 records of')
    expect(out).toContain('use --unsigned-before 6')
    expect((await warren(['--verify', '--unsigned-before', '6'])).exitCode).toBe(0)
  })

  it('goes on past junk, and says how much it saw', async () => {
    const { open, forge, warren } = await setup()
    const log = await open()
    await writeAll(log, 2)
    for (const junk of ['no JSON', { hash: 1 }, [], 7]) await forge(junk)
    await writeAll(log, 2)

    const { exitCode, err } = await warren(['--verify'])
    const known = await warren(['--verify', '--json', '--unsigned-before', '6'])

    expect(exitCode).toBe(1)
    expect(err).toContain('broken at record 3. It is not a record of Warren. More problems: 3.')
    expect(err).toContain('5 records of 2 writers (5 signed, 0 not), and 4 messages not from Warren')
    expect(JSON.parse(known.out)).toMatchObject({ kind: 'whole', foreign: 4, signed: 6 })
  })

  it('keeps the newest records in a file, and finds that one of them is gone', async () => {
    const { open, warren } = await setup()
    await writeAll(await open(), 3)

    const first = await warren(['--verify', '--kept', 'kept.jsonl'])
    const second = await warren(['--verify', '--kept', 'kept.jsonl', '--json'])
    const lines = (await readFile('kept.jsonl', 'utf8')).trim().split('\n')
    const { newest, newestOffset } = JSON.parse(second.out) as AuditVerdict
    const elsewhere = await setup()
    await writeAll(await elsewhere.open(), 9)
    const gone = await elsewhere.warren(['--verify', '--kept', 'kept.jsonl'])

    expect([first.exitCode, second.exitCode, gone.exitCode]).toEqual([0, 0, 1])
    expect(lines).toHaveLength(2)
    expect(JSON.parse(lines[1]!)).toMatchObject({ hash: newest, offset: newestOffset })
    expect(gone.err).toContain('is no longer there')
    expect((await readFile('kept.jsonl', 'utf8')).trim().split('\n')).toHaveLength(2)
  })
})

describe('warren audit', () => {
  it('shows a record on one line, whatever stands in it, and says that nobody signed it', async () => {
    const { open, forge, warren } = await setup()
    await writeAll(await open(), 1)
    const from = '::1  redrive a.dlq\n2030-01-01T00:00:00Z  root from 127.0.0.1'
    const end = { writer: 'x', number: 0, hash: noRecord }
    const forged = chainRecord({ ...entry, from }, { end, seen: undefined, at: 'then\n2030\u2028' })
    await forge(forged)

    const { out } = await warren([])

    const lines = out.trimEnd().split('\n')
    expect(lines).toHaveLength(3)
    expect(lines[1]).toContain('NOT SIGNED  then\\n2030\\u2028  test from ::1  redrive a.dlq\\n2030-01-01')
    expect(lines.filter((line) => line.startsWith('NOT SIGNED'))).toHaveLength(1)
  })
})
