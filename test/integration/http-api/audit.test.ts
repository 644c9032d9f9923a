import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { hostname, tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { afterAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { findAuditLog, openAuditLog } from '../../../packages/cli/src/http-api/audit/audit-log.ts'
import type { AuditEntry } from '../../../packages/cli/src/http-api/audit/audit-record.ts'
import type { AuditRecord } from '../../../packages/cli/src/http-api/contract/contract.ts'
import { declareStream, readEntry } from '../../../packages/cli/src/http-api/records/follow-stream.ts'
import { runCli } from '../../../packages/cli/src/run-cli.ts'
import { Session } from '../../../packages/warrenmq/src/broker/amqp/session.ts'
import { Publisher } from '../../../packages/warrenmq/src/publisher/publisher.ts'
import { eventually } from '../../support/eventually.ts'
import { createVhost, type TestVhost } from '../../support/use-broker.ts'
import { createRecoveryRig } from '../recovery/recovery-rig.ts'
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

/** A vhost for each test: a log is the vhost's. */
async function setup() {
  const broker = await createVhost()
  onTestFinished(broker.drop)
  const open = async () => {
    const session = await Session.open(broker.url)
    onTestFinished(() => session.close())
    const log = await openAuditLog({ consuming: session, publishing: session })
    onTestFinished(() => log.close())
    return log
  }
  return { broker, open, warren: cli(broker) }
}

/** The command line in a folder of its own. */
function cli(broker: TestVhost) {
  return async (args: readonly string[], env: Record<string, string> = {}) => {
    const printed = { out: '', err: '' }
    const to = (name: 'out' | 'err') =>
      new Writable({
        write: (chunk, _encoding, done) => {
          printed[name] += chunk
          done()
        },
      })
    const address = [
      '--management-url',
      withUser(broker),
      ...(args.includes('--url') ? [] : ['--url', broker.url]),
    ]
    const exitCode = await runCli([...args, ...address], { stdout: to('out'), stderr: to('err'), env })
    return { exitCode, ...printed }
  }
}

function withUser({ managementUrl, username, password }: TestVhost): string {
  return managementUrl.replace('://', `://${username}:${password}@`)
}

const here = process.cwd()
let folder = here
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'warren-audit-'))
  process.chdir(folder) // the command looks for its config where it is called
  onTestFinished(async () => {
    process.chdir(here)
    await rm(folder, { recursive: true, force: true })
  })
})
afterAll(() => process.chdir(here))

describe('several writers at once', () => {
  it('make one log that is whole', async () => {
    const { open } = await setup()
    const logs = [await open(), await open(), await open()]

    const writes = Array.from({ length: 60 }, (_, at) => logs[at % 3]!.write({ ...entry, target: `q-${at}` }))
    await Promise.all(writes)

    const verdict = await logs[0]!.verify(reader)
    expect(verdict).toMatchObject({ kind: 'whole', records: 61, writers: 3, isCut: false })
    const records = await logs[1]!.read(100, reader)
    expect(new Set(records.slice(0, 60).map(({ target }) => target)).size).toBe(60)
  })

  it('tie their chains together', async () => {
    const { open } = await setup()
    const first = await (await open()).write(entry)

    const second = await open()

    // What others wrote is read beside, so a record may be written before it is known.
    await eventually(async () =>
      expect(await second.write(entry)).toMatchObject({ after: first.hash, afterOffset: 0 }),
    )
  })
})

describe('a page of the log', () => {
  /** A connection that counts what the broker sends through it, by the place in the stream. */
  async function countDeliveries(url: string) {
    const session = await Session.open(url)
    onTestFinished(() => session.close())
    const sent: number[] = []
    const counting = new Proxy(session, {
      get: (target, name) => {
        if (name !== 'openChannel') {
          const value = Reflect.get(target, name, target) as unknown
          return typeof value === 'function' ? (value.bind(target) as unknown) : value
        }
        return async () => {
          const channel = await target.openChannel()
          const consume = channel.consume.bind(channel)
          channel.consume = (queue, onDelivery, options) =>
            consume(
              queue,
              (delivery) => {
                sent.push(readEntry(delivery).offset)
                onDelivery(delivery)
              },
              options,
            )
          return channel
        }
      },
    })
    return { counting, sent }
  }

  it('costs as much as its records, however long the log is, and leads to the one before it', async () => {
    const { broker, open } = await setup()
    const writer = await open()
    const count = 500
    for (let at = 0; at < count; at += 250)
      await Promise.all(
        Array.from({ length: 250 }, (_, each) => writer.write({ ...entry, target: `q-${at + each}` })),
      )
    const { counting, sent } = await countDeliveries(broker.url)
    const log = await openAuditLog({ consuming: counting, publishing: counting })
    onTestFinished(() => log.close())

    const newest = await log.readPage({ limit: 10 }, reader)
    const afterFirst = sent.length
    const older = await log.readPage({ limit: 10, before: newest.next! }, reader)

    expect(newest.records.map(({ target }) => target)).toEqual([
      ...Array.from({ length: 9 }, (_, at) => `q-${count - 9 + at}`),
      'warren.audit',
    ])
    expect(older.records.map(({ target }) => target)).toEqual(
      Array.from({ length: 10 }, (_, at) => `q-${count - 19 + at}`),
    )
    expect(older.next).toBe(count - 19)
    // Ten that are asked for, and at most as many that were on their way already.
    expect([afterFirst, sent.length - afterFirst].every((each) => each >= 10 && each <= 20)).toBe(true)
  })

  it('after the other is the whole log, each record once, and ends', async () => {
    const { open } = await setup()
    const log = await open()
    for (let at = 0; at < 7; at += 1) await log.write({ ...entry, target: `q-${at}` })

    const pages: string[][] = []
    let before: number | undefined
    do {
      const page = await log.readPage({ limit: 3, before }, reader)
      pages.push(page.records.map(({ target }) => target))
      before = page.next ?? undefined
    } while (before !== undefined)

    // Reading is written down at the end, where no later page looks.
    expect(pages).toEqual([
      ['q-5', 'q-6', 'warren.audit'],
      ['q-2', 'q-3', 'q-4'],
      ['q-0', 'q-1'],
    ])
  })

  it('that nobody has written yet is the newest, and one before the first is empty', async () => {
    const { open } = await setup()
    const log = await open()
    const { hash } = await log.write(entry)

    const beyond = await log.readPage({ limit: 2, before: 1e15 }, reader)
    const before = await log.readPage({ limit: 2, before: 0 }, reader)

    expect(beyond.records.map((record) => record.hash)[0]).toBe(hash)
    expect(before).toEqual({ records: [], unreadable: 0, next: null })
  })

  it('counts what others have put between the records, and shows the rest', async () => {
    const { broker, open } = await setup()
    const log = await open()
    const session = await Session.open(broker.url)
    onTestFinished(() => session.close())
    await new Publisher(session).publish({ key: 'warren.audit', body: { hash: 'x', writer: 'x', number: 1 } })
    await log.write(entry)

    const page = await log.readPage({ limit: 10 }, reader)

    expect(page.unreadable).toBe(1)
    expect(page.records.map(({ action }) => action)).toEqual(['redrive', 'audit.read'])
  })

  it('of a log whose beginning the broker has cut off ends where the log begins', async () => {
    const { broker } = await setup()
    const session = await Session.open(broker.url)
    onTestFinished(() => session.close())
    // Small segments, of which the broker keeps little more than one.
    await declareStream(session, 'warren.audit', {
      'x-max-length-bytes': 20_000,
      'x-stream-max-segment-size-bytes': 10_000,
    })
    const publisher = new Publisher(session)
    for (let at = 0; at < 200; at += 1)
      await publisher.publish({ key: 'warren.audit', body: { filler: 'x'.repeat(500) } })
    const log = await findAuditLog({ consuming: session, publishing: session })
    onTestFinished(() => log!.close())

    const page = await log!.readPage({ limit: 1_000 }, reader)

    expect(page.unreadable).toBeGreaterThan(0)
    expect(page.unreadable).toBeLessThan(200)
    expect(page.next).toBeNull()
  })
})

describe('warren audit --verify', () => {
  /** The records of three writers, made into a log of another vhost after somebody has been at them. */
  async function forge(change: (records: AuditRecord[]) => unknown[]) {
    const { open } = await setup()
    const logs = [await open(), await open(), await open()]
    for (let at = 0; at < 17; at += 1) await logs[at % 3]!.write({ ...entry, target: `q-${at}` })
    const last = await logs[2]!.write(entry)
    await eventually(async () => expect((await logs[0]!.write(entry)).after).toBe(last.hash))
    const records = [...(await logs[0]!.read(100, reader))]
    const forged = await setup()
    const session = await Session.open(forged.broker.url)
    onTestFinished(() => session.close())
    await declareStream(session, 'warren.audit')
    const publisher = new Publisher(session)
    for (const body of change(records)) await publisher.publish({ key: 'warren.audit', body })
    return { records, ...(await forged.warren(['audit', '--verify', '--json'])) }
  }

  it('finds nothing in a log that nobody touched', async () => {
    const { exitCode, out, records } = await forge((all) => all)

    expect(exitCode).toBe(0)
    expect(JSON.parse(out)).toMatchObject({ kind: 'whole', records: records.length + 1 })
  })

  it.each<[string, (records: AuditRecord[]) => unknown[]]>([
    ['removed', (records) => records.toSpliced(7, 1)],
    ['changed', (records) => records.with(7, { ...records[7]!, by: 'nobody' })],
    ['moved', (records) => records.toSpliced(7, 1).toSpliced(12, 0, records[7]!)],
  ])('finds a record that was %s', async (_, change) => {
    const { exitCode, out, err } = await forge(change)

    expect(exitCode).toBe(1)
    expect(JSON.parse(out)).toMatchObject({ error: { code: 'AUDIT_BROKEN' } })
    expect(err).toMatch(/^warren: The audit log is broken at record \d+\. /m)
  })

  it('finds that all records of a writer are gone', async () => {
    const { exitCode } = await forge((records) =>
      records.filter(({ writer }) => writer !== records[2]!.writer),
    )

    expect(exitCode).toBe(1)
  })

  it('finds that the end was cut off, if a hash of it was kept', async () => {
    const { open, warren } = await setup()
    const log = await open()
    await log.write(entry)

    const first = await warren(['audit', '--verify', '--json'])
    const { newest } = JSON.parse(first.out) as { newest: string }
    const later = await warren(['audit', '--verify', '--kept', newest])
    const foreign = await warren(['audit', '--verify', '--kept', 'f'.repeat(64)])

    expect([first.exitCode, later.exitCode, foreign.exitCode]).toEqual([0, 0, 1])
    expect(foreign.err).toContain('is no longer there')
  })

  it('says so where there is no log', async () => {
    const { warren } = await setup()

    const { exitCode, err } = await warren(['audit', '--verify'])

    expect(exitCode).toBe(1)
    expect(err).toContain('There is no stream warren.audit')
  })
})

describe('an action of the command line', () => {
  const topology = { queues: { orders: { retry: { delays: ['1m'] } } } }
  const config = (server: object) =>
    writeFile('warren.config.json', JSON.stringify({ ...topology, ...recovery, server }))
  const recovery = { recovery: { queues: ['old.dlq'], types: {}, timeouts: { idle: '50ms' } } }

  async function setupQueues(server: object) {
    const rig = await setup()
    const queues = await createRecoveryRig(rig.broker)
    await queues.declare('old.dlq')
    await queues.declareWork('work', 'old.dlq')
    await queues.fill('old.dlq', 3, () => ({ headers: { 'x-original-queue': 'work' } }))
    await config(server)
    const told = async () => {
      const { out } = await rig.warren(['audit', '--json'])
      const { records } = JSON.parse(out) as { records: AuditRecord[] }
      return records.filter(({ action }) => action !== 'audit.read')
    }
    return { ...rig, ...queues, told }
  }

  it('is in the log with who, from where, why and what came of it', async () => {
    const { broker, warren, told } = await setupQueues({ audit: 'on' })

    const redrive = ['dlq', 'redrive', 'old.dlq', '--limit', '1', '--reason', 'fixed', '--yes', '--json']
    const codes = [
      await warren(['apply', '--yes'], { WARREN_OPERATOR: 'ann' }),
      await warren(redrive),
      await warren(['dlq', 'discard', 'old.dlq', '--out', 'old.backup', '--yes', '--by', 'bob']),
      await warren(['dlq', 'restore', 'old.backup']),
      await warren(['recover']),
    ].map(({ exitCode }) => exitCode)

    expect(codes).toEqual([0, 0, 0, 0, 3])
    const records = await told()
    const { username } = userInfo()
    const as = `as ${broker.username}`
    expect(records.map(({ by, action, target, reason }) => [by, action, target, reason])).toEqual([
      [`ann (${username}) ${as}`, 'topology.apply', broker.vhost, null],
      [`ann (${username}) ${as}`, 'topology.apply', broker.vhost, null],
      [`${username} ${as}`, 'redrive', 'old.dlq', 'fixed'],
      [`${username} ${as}`, 'redrive', 'old.dlq', 'fixed'],
      [`bob (${username}) ${as}`, 'discard', 'old.dlq', null],
      [`bob (${username}) ${as}`, 'discard', 'old.dlq', null],
      [`${username} ${as}`, 'restore', 'old.backup', null],
      [`${username} ${as}`, 'restore', 'old.dlq', null],
      [`${username} ${as}`, 'recover', 'old.dlq', null],
      [`${username} ${as}`, 'recover', 'old.dlq', null],
    ])
    expect(new Set(records.map(({ from, wayIn }) => `${wayIn} ${from}`))).toEqual(
      new Set([`command-line ${hostname()}`]),
    )
    expect(records[3]!.result).toMatch(/^done [0-9a-f-]{36}: 1 moved, 0 failed, 0 kept$/)
    expect(records[3]!.receiptDigest).toMatch(/^[0-9a-f]{64}$/)
    expect(records[5]!.result).toBe('2 removed into old.backup, 0 left')
    expect(records[7]!.result).toBe('2 of 2 restored from old.backup')
    expect((await warren(['audit', '--verify'])).exitCode).toBe(0)
  })

  it('says once that its records are not signed where it has no key, and nothing where it has one', async () => {
    const { warren } = await setupQueues({ audit: 'on' })

    const without = await warren(['dlq', 'redrive', 'old.dlq', '--limit', '1', '--yes'])
    const withKey = await warren(['dlq', 'redrive', 'old.dlq', '--limit', '1', '--yes'], serverKey)

    expect([without.exitCode, withKey.exitCode]).toEqual([0, 0])
    expect((without.out + without.err).match(/there is no WARREN_SERVER_KEY/g)).toHaveLength(1)
    expect(withKey.out + withKey.err).not.toContain('WARREN_SERVER_KEY')
  })

  it('that fails is in the log, too', async () => {
    const { warren, told } = await setupQueues({ audit: 'on' })

    const { exitCode } = await warren(['dlq', 'redrive', 'nowhere.dlq', '--yes'])

    expect(exitCode).toBe(1)
    expect((await told()).map(({ result }) => result)).toEqual([
      'begun: {"queue":"nowhere.dlq"}',
      'failed: RECOVERY_QUEUE_NOT_FOUND',
    ])
  })

  it('is not written down where the broker has no log and nobody asks for one', async () => {
    const { broker, warren } = await setupQueues({})

    const { exitCode, out } = await warren(['dlq', 'redrive', 'old.dlq', '--yes'])

    expect(exitCode).toBe(0)
    expect(out).not.toContain('audit')
    const queues = await broker.management<{ name: string }[]>('GET', `/api/queues/${broker.vhost}`)
    expect(queues.map(({ name }) => name).sort()).toEqual(['old.dlq', 'work'])
  })

  it('is written down where the broker has a log', async () => {
    const { open, warren, told } = await setupQueues({})
    await open()

    await warren(['dlq', 'redrive', 'old.dlq', '--yes'])

    expect((await told()).map(({ action }) => action)).toEqual(['redrive', 'redrive'])
  })

  /** A queue that is no stream takes its place, so the log cannot be opened. */
  async function blockLog({ declare }: Awaited<ReturnType<typeof setupQueues>>) {
    await declare('warren.audit', {
      'x-queue-type': 'classic',
      'x-max-length': 0,
      'x-overflow': 'reject-publish',
    })
  }

  it('goes on with one sentence where the log cannot be written', async () => {
    const rig = await setupQueues({ audit: 'on' })
    await blockLog(rig)

    const { exitCode, out } = await rig.warren(['dlq', 'redrive', 'old.dlq', '--yes'])

    expect(exitCode).toBe(0)
    expect(out.match(/audit log/g)).toHaveLength(1)
    expect(out).toContain('The audit log is missing this: ')
    expect(await rig.depth('work')).toBe(3)
  })

  it('goes on with one sentence for an account that may not write the log', async () => {
    const { broker, warren, depth } = await setupQueues({ audit: 'on' })
    const name = `no-audit-${broker.vhost}`
    await broker.management('PUT', `/api/users/${name}`, { password: name, tags: 'monitoring' })
    onTestFinished(() => broker.management('DELETE', `/api/users/${name}`))
    const permissions = { configure: '^warren\\.lock', write: '.*', read: '.*' }
    await broker.management('PUT', `/api/permissions/${broker.vhost}/${name}`, permissions)
    const url = broker.url.replace(/\/\/.*@/, `//${name}:${name}@`)

    const { exitCode, out, err } = await warren(['dlq', 'redrive', 'old.dlq', '--yes', '--url', url])
    expect(err).toBe('')

    expect(exitCode).toBe(0)
    expect(out).toMatch(/The audit log is missing this: .*ACCESS_REFUSED/)
    expect(await depth('work')).toBe(3)
  })

  it('is not done where the log is required and cannot be written', async () => {
    const rig = await setupQueues({ audit: 'required' })
    await blockLog(rig)

    const { exitCode, err } = await rig.warren(['dlq', 'redrive', 'old.dlq', '--yes'])

    expect(exitCode).toBe(1)
    expect(err).toMatch(/^warren: Nothing was done: the config says server.audit: required/)
    expect([await rig.depth('old.dlq'), await rig.depth('work')]).toEqual([3, 0])
  })

  it('is refused where server.audit says what it cannot', async () => {
    const { warren, depth } = await setupQueues({ audit: 'sometimes' })

    const { exitCode, err } = await warren(['dlq', 'redrive', 'old.dlq', '--yes'])

    expect(exitCode).toBe(1)
    expect(err).toContain('server.audit is "sometimes"; it must be required, on or off.')
    expect(await depth('old.dlq')).toBe(3)
  })
})
