import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AuditPage, Task } from '../../../packages/cli/src/http-api/contract/contract.ts'
import { connect, type Receipt, type RedriveChoice } from '../../../packages/warrenmq/src/index.ts'
import { noteRequest } from '../../../packages/warrenmq/src/recovery/request/note-request.ts'
import { redriveRequestSchema } from '../../../packages/warrenmq/src/recovery/request/request-schemas.ts'
import type { RedriveRequest } from '../../../packages/warrenmq/src/recovery/request/requests.ts'
import { eventually } from '../../support/eventually.ts'
import { namePerTry } from '../../support/name-per-try.ts'
import { runCliHere } from '../../support/run-cli-here.ts'
import { type ApiRig, deadLetterTo, startApiRig } from './api-rig.ts'
import { useApiBroker } from './use-api-broker.ts'

const broker = await useApiBroker()
const { headers } = broker
const { managementUrl } = broker
let rig: ApiRig
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'warren-one-request-'))
  rig = await startApiRig(broker)
})
afterAll(async () => {
  await rig.close()
  await rm(folder, { recursive: true })
})

const edit = { body: 'mended', headers: { tenant: 'blue', old: null } }

/** That of no message: what is asked for is the same, and nothing moves. */
const unknownKey = '0'.repeat(32)

/** Every option of a re-drive, and how the command line says it. */
const rows: readonly (readonly [keyof RedriveRequest, Partial<RedriveRequest>, readonly string[]])[] = [
  ['queue', {}, []],
  ['where', { where: 'id:m-1' }, ['--where', 'id:m-1']],
  ['acceptDeliveryLimit', { acceptDeliveryLimit: true }, ['--accept-delivery-limit']],
  ['hold', { hold: '5m' }, ['--hold', '5m']],
  ['keys', { keys: [unknownKey] }, ['--key', unknownKey]],
  ['to', { to: 'retry' }, ['--to', 'retry']],
  ['trustHeaders', { trustHeaders: true }, ['--trust-headers']],
  ['attempts', { attempts: 'continue' }, ['--attempts', 'continue']],
  ['limit', { limit: 2 }, ['--limit', '2']],
  ['ratePerSecond', { ratePerSecond: 900 }, ['--rate', '900']],
  ['canary', { canary: { messages: 1, wait: '50ms' } }, ['--canary', '1', '--canary-wait', '50ms']],
  ['stopWhenDead', { stopWhenDead: '40%' }, ['--stop-when-dead', '40%']],
  ['stopWhenTargetAbove', { stopWhenTargetAbove: 99 }, ['--stop-when-target-above', '99']],
  ['edit', { where: 'id:m-1', edit }, ['--where', 'id:m-1', '--edit', 'edit.json']],
  ['wait', { wait: '30s' }, ['--wait', '30s']],
  ['window', { window: { messages: 1, bytes: 4096 } }, ['--window', '1', '--window-bytes', '4096']],
  ['reason', { reason: 'gateway is back' }, ['--reason', 'gateway is back']],
]

/** Three dead letters of a work queue. */
async function setup(name: string): Promise<string> {
  const own = namePerTry(name)
  const [dlq, work] = [`${own}.dlq`, `${own}.work`]
  await rig.declareDlq(dlq)
  await rig.declareDlq(work, deadLetterTo(dlq))
  const message = { key: dlq, body: 1, headers: { 'x-original-queue': work } }
  await rig.publish(Array.from({ length: 3 }, (_, at) => ({ ...message, messageId: `m-${at}` })))
  return dlq
}

/** Each way to ask for a re-drive, and what its receipt says was asked for. */
const doors = {
  library: async ({ queue, ...asked }: RedriveRequest) => {
    const warren = await connect(broker.url, { managementUrl })
    try {
      return await warren.deadLetters(queue).redrive(asked as RedriveChoice)
    } finally {
      await warren.close()
    }
  },
  'command line': async ({ queue }: RedriveRequest, flags: readonly string[]) => {
    await writeFile(join(folder, 'edit.json'), JSON.stringify(edit))
    const said = flags.map((flag) => (flag === 'edit.json' ? join(folder, flag) : flag))
    const place = ['--url', broker.url, '--management-url', managementUrl]
    return JSON.parse(await runJson(['dlq', 'redrive', queue, '--yes', ...place, ...said])) as Receipt
  },
  HTTP: async (request: RedriveRequest) => {
    const started = await rig.app.inject({
      method: 'POST',
      url: '/api/v1/redrives',
      headers,
      payload: { ...request },
    })
    expect(started.body).toContain('"redrive"')
    const { id } = started.json<Task>()
    await eventually(async () => expect((await get<Task>(`/api/v1/tasks/${id}`)).endedAt).not.toBeNull())
    return get<Receipt>(`/api/v1/tasks/${id}/receipt`)
  },
}

async function runJson(args: readonly string[]): Promise<string> {
  const { exitCode, said, printed } = await runCliHere([...args, '--json'])
  expect([0, 3], said).toContain(exitCode)
  return printed
}

async function get<Body>(url: string): Promise<Body> {
  return (await rig.app.inject({ method: 'GET', url, headers })).json<Body>()
}

/** What the audit log says was asked for, the newest first. */
async function auditedRequests(queue: string): Promise<readonly unknown[]> {
  const { items } = await get<AuditPage>(`/api/v1/audit?action=redrive&target=${queue}`)
  return items.flatMap(({ result }) => {
    const [, asked] = /^begun[^:]*: (\{.*\})$/.exec(result) ?? []
    return asked === undefined ? [] : [JSON.parse(asked) as unknown]
  })
}

describe('a re-drive', () => {
  it('has a row for each of its options', () => {
    expect(rows.map(([name]) => name).toSorted()).toEqual(
      Object.keys(redriveRequestSchema.properties ?? {}).toSorted(),
    )
  })

  describe.each(Object.entries(doors))('asked for by %s', (door, redrive) => {
    it.each(rows)('is asked for "%s" as by any other way', async (name, asked, flags) => {
      const queue = await setup(`${door.replace(' ', '-')}-${name}`)
      const request = { queue, ...asked } as RedriveRequest

      const receipt = await redrive(request, flags)

      expect(receipt.request).toEqual(JSON.parse(JSON.stringify(noteRequest(request))))
      expect(receipt.present).toBe(3)
      if (door !== 'library') expect(await auditedRequests(queue)).toEqual([receipt.request])
    })
  })
})
