import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AuditPage } from '../../../packages/cli/src/http-api/contract/contract.ts'
import { connect, type DeadLetters } from '../../../packages/warrenmq/src/index.ts'
import type { RequestSchema } from '../../../packages/warrenmq/src/recovery/request/request-schema.ts'
import {
  backupRequestSchema,
  causesRequestSchema,
  discardRequestSchema,
  peekRequestSchema,
  restoreRequestSchema,
} from '../../../packages/warrenmq/src/recovery/request/request-schemas.ts'
import { namePerTry } from '../../support/name-per-try.ts'
import { runCliHere } from '../../support/run-cli-here.ts'
import { type ApiRig, startApiRig } from './api-rig.ts'
import { useApiBroker } from './use-api-broker.ts'

const broker = await useApiBroker()
const { headers, managementUrl } = broker
let rig: ApiRig
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'warren-same-answers-'))
  rig = await startApiRig({ ...broker, server: { backups: { folder: join(folder, 'kept') } } })
})
afterAll(async () => {
  await rig.close()
  await rm(folder, { recursive: true })
})

type Fields = Readonly<Record<string, unknown>>

/** An option, as the library takes it; how the command line and HTTP say it; and how many messages it is about. */
interface Row {
  readonly asked: Fields
  readonly flags: readonly string[]
  /** Parameters of the address. Undefined: the HTTP API does not have this option. */
  readonly query?: Fields | undefined
  readonly about: number
}

/** Of any work on a queue of four messages, three of them of type A. */
const ofAnyQueue = {
  queue: { asked: {}, flags: [], query: {}, about: 4 },
  where: { asked: { where: 'type:A' }, flags: ['--where', 'type:A'], query: { where: 'type:A' }, about: 3 },
  // The server decides both for its own looks, which are short.
  acceptDeliveryLimit: { asked: { acceptDeliveryLimit: true }, flags: ['--accept-delivery-limit'], about: 4 },
  hold: { asked: { hold: '5m' }, flags: ['--hold', '5m'], about: 4 },
} satisfies Record<string, Row>

/** Dead letters `m-0` to `m-3`; all but the last are of type A. */
async function setup(name: string): Promise<string> {
  const dlq = `${namePerTry(name)}.dlq`
  await rig.declareDlq(dlq)
  const message = { key: dlq, body: { amount: 1 }, headers: { 'x-error': 'Timeout: too slow' } }
  const types = ['A', 'A', 'A', 'B']
  await rig.publish(types.map((type, at) => ({ ...message, type, messageId: `m-${at}` })))
  return dlq
}

async function withLibrary<Result>(
  queue: string,
  work: (letters: DeadLetters) => Promise<Result>,
): Promise<Result> {
  const warren = await connect(broker.url, { managementUrl })
  try {
    return await work(warren.deadLetters(queue))
  } finally {
    await warren.close()
  }
}

async function runJson<Result>(args: readonly string[]): Promise<Result> {
  const place = ['--url', broker.url, '--management-url', managementUrl, '--json']
  const { exitCode, said, printed } = await runCliHere([...args, ...place])
  expect(exitCode, said).toBe(0)
  return JSON.parse(printed) as Result
}

async function get<Body>(path: string, query: Fields = {}): Promise<Body> {
  const url = `/api/v1${path}?${new URLSearchParams(query as Record<string, string>)}`
  const answer = await rig.app.inject({ method: 'GET', url, headers })
  expect(answer.statusCode, answer.body).toBe(200)
  return answer.json<Body>()
}

const newFile = (): string => join(folder, `${randomUUID()}.backup`)

/** A row for each option of the request, or the table would say nothing of a new one. */
function expectRows(rows: Readonly<Record<string, Row>>, { properties = {} }: RequestSchema): void {
  expect(Object.keys(rows).toSorted()).toEqual(Object.keys(properties).toSorted())
}

describe('causes', () => {
  const rows: Record<string, Row> = {
    ...ofAnyQueue,
    groupBy: {
      asked: { groupBy: 'type' },
      flags: ['--group-by', 'type'],
      query: { groupBy: 'type' },
      about: 4,
    },
    count: { asked: { count: 2 }, flags: ['--count', '2'], about: 2 },
  }
  interface Group {
    readonly id: string
    readonly label: string
    readonly count: number
  }
  const shown = (groups: readonly Group[]) => groups.map(({ id, label, count }) => ({ id, label, count }))

  it('have a row for each option', () => expectRows(rows, causesRequestSchema))

  it.each(Object.entries(rows))('are the same by every door, asked for with "%s"', async (name, row) => {
    const queue = await setup(`causes-${name}`)

    const found = await withLibrary(queue, (letters) => letters.causes(row.asked))
    const printed = await runJson<{ causes: Group[] }>(['dlq', 'causes', queue, ...row.flags])

    expect(found.reduce((sum, { count }) => sum + count, 0)).toBe(row.about)
    expect(shown(printed.causes)).toEqual(shown(found))
    if (!row.query) return
    const { causes } = await get<{ causes: Group[] }>(`/dlqs/${queue}/causes`, row.query)
    expect(shown(causes)).toEqual(shown(found))
  })
})

describe('a look at messages', () => {
  const rows: Record<string, Row> = {
    ...ofAnyQueue,
    count: { asked: { count: 2 }, flags: ['--count', '2'], query: { limit: '2' }, about: 2 },
    // A list over HTTP has no bodies; one message has all of its own.
    bodyBytes: { asked: { bodyBytes: 3 }, flags: ['--body-bytes', '3'], about: 4 },
  }
  interface Letter {
    readonly id?: string | null | undefined
    readonly body?: { readonly text: string } | null
  }
  const shown = (letters: readonly Letter[]) => letters.map(({ id, body }) => [id, body?.text])

  it('has a row for each option', () => expectRows(rows, peekRequestSchema))

  it.each(Object.entries(rows))('shows the same by every door, asked for with "%s"', async (name, row) => {
    const queue = await setup(`peek-${name}`)

    const found = await withLibrary(queue, (letters) => letters.peek(row.asked))
    const printed = await runJson<{ messages: Letter[] }>(['dlq', 'peek', queue, ...row.flags])

    expect(found).toHaveLength(row.about)
    expect(shown(printed.messages)).toEqual(shown(found))
    if (!row.query) return
    const { items } = await get<{ items: Letter[] }>(`/dlqs/${queue}/messages`, row.query)
    expect(items.map(({ id }) => id)).toEqual(found.map(({ id }) => id))
  })
})

describe('a backup', () => {
  const rows: Record<string, Row> = ofAnyQueue

  it('has a row for each option', () => expectRows(rows, backupRequestSchema))

  it.each(Object.entries(rows))('holds the same by every door, asked for with "%s"', async (name, row) => {
    const queue = await setup(`backup-${name}`)

    const written = await withLibrary(queue, (letters) => letters.backUp({ ...row.asked, file: newFile() }))
    const printed = await runJson<typeof written>(['dlq', 'backup', queue, '--out', newFile(), ...row.flags])

    expect(written.records).toBe(row.about)
    expect(printed.records).toBe(row.about)
    if (!row.query) return
    const url = `/api/v1/dlqs/${queue}/backup?${new URLSearchParams(row.query as Record<string, string>)}`
    const { rawPayload } = await rig.app.inject({ method: 'GET', url, headers })
    expect(await restoreOverHttp(rawPayload, {})).toMatchObject({ records: row.about, restored: 0 })
  })
})

async function restoreOverHttp(payload: Buffer, query: Fields): Promise<object> {
  const url = `/api/v1/restores?${new URLSearchParams(query as Record<string, string>)}`
  const type = { 'content-type': 'application/gzip' }
  const answer = await rig.app.inject({ method: 'POST', url, headers: { ...headers, ...type }, payload })
  expect(answer.statusCode, answer.body).toBe(200)
  return answer.json<object>()
}

describe('a discard', () => {
  const choices: Record<string, (key: string) => Omit<Row, 'query'>> = {
    queue: () => ofAnyQueue.queue,
    where: () => ofAnyQueue.where,
    acceptDeliveryLimit: () => ofAnyQueue.acceptDeliveryLimit,
    hold: () => ofAnyQueue.hold,
    keys: (key) => ({ asked: { keys: [key] }, flags: ['--key', key], about: 1 }),
    limit: () => ({ asked: { limit: 2 }, flags: ['--limit', '2'], about: 2 }),
    reason: () => ({ asked: { reason: 'too old' }, flags: ['--reason', 'too old'], about: 4 }),
  }
  interface Discarded {
    readonly removed: number
    readonly left: number
  }
  const doors = {
    library: (queue: string, { asked }: Omit<Row, 'query'>): Promise<Discarded> =>
      withLibrary(queue, (letters) => letters.discard({ ...asked, file: newFile() })),
    'command line': (queue: string, { flags }: Omit<Row, 'query'>): Promise<Discarded> =>
      runJson(['dlq', 'discard', queue, '--yes', '--out', newFile(), ...flags]),
    HTTP: async (queue: string, { asked }: Omit<Row, 'query'>): Promise<Discarded> => {
      const url = `/api/v1/dlqs/${queue}/discard`
      return (await rig.app.inject({ method: 'POST', url, headers, payload: { ...asked } })).json<Discarded>()
    },
  }

  it('has a row for each option', () => {
    const rows = Object.fromEntries(Object.entries(choices).map(([name, row]) => [name, row('')]))
    expectRows(rows, discardRequestSchema)
  })

  describe.each(Object.entries(doors))('asked for by %s', (door, discard) => {
    it.each(Object.entries(choices))('removes with "%s" what it does by any other', async (name, choose) => {
      const queue = await setup(`discard-${door.replace(' ', '-')}-${name}`)
      const { items } = await get<{ items: { key: string }[] }>(`/dlqs/${queue}/messages`)
      const row = choose(items[0]!.key)

      const { removed, left } = await discard(queue, row)

      expect({ removed, left }).toEqual({ removed: row.about, left: 4 - row.about })
      await broker.expectDepths({ [queue]: 4 - row.about })
      if (door !== 'library')
        expect(await auditedRequests('discard', queue)).toEqual([{ queue, ...row.asked }])
    })
  })
})

/** What the audit log says was asked for. */
async function auditedRequests(action: string, queue: string): Promise<readonly unknown[]> {
  const { items } = await get<AuditPage>('/audit', { action, target: queue })
  return items.flatMap(({ result }) => {
    const [, asked] = /^begun[^:]*: (\{.*\})$/.exec(result) ?? []
    return asked === undefined ? [] : [JSON.parse(asked) as unknown]
  })
}

describe('a restore', () => {
  const rows: Record<string, { asked: Fields; flags: readonly string[] }> = {
    queue: { asked: {}, flags: [] },
    acceptDeliveryLimit: { asked: { acceptDeliveryLimit: true }, flags: ['--accept-delivery-limit'] },
    reason: { asked: { reason: 'asked for' }, flags: ['--reason', 'asked for'] },
  }
  /** Each door has a queue of its own to restore into: what one has restored, the next would leave out. */
  const elsewhere = async (name: string): Promise<string> => {
    const queue = `${namePerTry(`else-${name}`)}.dlq`
    await rig.declareDlq(queue)
    return queue
  }

  it('has a row for each option', () => {
    expect(Object.keys(rows).toSorted()).toEqual(
      Object.keys(restoreRequestSchema.properties ?? {}).toSorted(),
    )
  })

  it.each(Object.entries(rows))('puts back with "%s" the same by every door', async (name, row) => {
    const queue = await setup(`restore-${name}`)
    const source = newFile()
    await withLibrary(queue, (letters) => letters.backUp({ file: source }))
    const forLibrary = await elsewhere(`${name}-library`)
    const forCommand = await elsewhere(`${name}-command`)
    const forHttp = await elsewhere(`${name}-http`)

    const byLibrary = await withLibrary(forLibrary, (letters) =>
      letters.restore({ file: source, ...row.asked }),
    )
    const byCommand = await runJson(['dlq', 'restore', source, '--to', forCommand, ...row.flags])
    const byHttp = await restoreOverHttp(await readFile(source), { queue: forHttp, ...row.asked })

    const restored = { records: 4, restored: 4, failed: 0 }
    expect(byLibrary).toMatchObject({ ...restored, queue: forLibrary })
    expect(byCommand).toMatchObject({ ...restored, queue: forCommand })
    expect(byHttp).toMatchObject({ ...restored, queue: forHttp })
    await broker.expectDepths({ [queue]: 4, [forLibrary]: 4, [forCommand]: 4, [forHttp]: 4 })
    expect(await auditedRequests('restore', forCommand)).toEqual([{ queue: forCommand, ...row.asked }])
    expect(await auditedRequests('restore', forHttp)).toEqual([{ queue: forHttp, ...row.asked }])
  })
})
