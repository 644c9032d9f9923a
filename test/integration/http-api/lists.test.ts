import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type {
  Approval,
  ApprovalList,
  AuditPage,
  BackupList,
  Discarded,
  Problem,
  Task,
  TaskList,
} from '../../../packages/cli/src/http-api/contract/contract.ts'
import { eventually } from '../../support/eventually.ts'
import { type ApiRig, deadLetterTo, startApiRig } from './api-rig.ts'
import { useApiBroker } from './use-api-broker.ts'

const broker = await useApiBroker()
const folder = mkdtempSync(join(tmpdir(), 'warren-lists-'))
const people = ['ann', 'bob'] as const
const queues = ['one.dlq', 'two.dlq'] as const
let rig: ApiRig
/** What was asked for, in this order. */
const tasks: Task[] = []
const approvals: Approval[] = []
const backups: string[] = []

beforeAll(async () => {
  for (const name of people) await broker.createAccount(name, { tag: 'administrator' })
  await broker.createAccount('lea', { tag: 'administrator', read: '^two' })
  rig = await startApiRig({ ...broker, server: { approval: { above: 5 }, backups: { folder } } })
  for (const queue of [...queues, 'late.dlq']) {
    await rig.declareDlq(queue)
    await rig.declareDlq(`${queue}.work`, deadLetterTo(queue))
  }
  for (const queue of queues) {
    for (const by of people) tasks.push(await redrive(queue, by))
    for (const by of people) backups.push(await discard(queue, by))
    await fill(queue, 6)
    for (const by of people) approvals.push(await post<Approval>('redrives', by, { queue }))
  }
  await post(`approvals/${approvals[0]!.id}/refuse`, 'ann')
  approvals.push(await post<Approval>('dlqs/two.dlq/discard', 'ann', {}))
})
afterAll(async () => {
  await rig.close()
  rmSync(folder, { recursive: true, force: true })
})

async function fill(queue: string, count: number): Promise<void> {
  const letter = { key: queue, body: 1, headers: { 'x-original-queue': `${queue}.work` } }
  await rig.publish(Array.from({ length: count }, () => letter))
}

async function post<Body>(path: string, by: string, payload: object = {}): Promise<Body> {
  const answer = await rig.app.inject({
    method: 'POST',
    url: `/api/v1/${path}`,
    headers: broker.as(by),
    payload,
  })
  expect(answer.statusCode, answer.body).toBeLessThan(300)
  return answer.json<Body>()
}

async function get<Body>(path: string, by: string = 'ann'): Promise<Body> {
  const answer = await rig.app.inject({ url: `/api/v1/${path}`, headers: broker.as(by) })
  expect(answer.statusCode, answer.body).toBe(200)
  return answer.json<Body>()
}

async function redrive(queue: string, by: string): Promise<Task> {
  await fill(queue, 1)
  const task = await post<Task>('redrives', by, { queue })
  return eventually(async () => {
    const now = await get<Task>(`tasks/${task.id}`)
    expect(now.state).toBe('done')
    return now
  })
}

async function discard(queue: string, by: string): Promise<string> {
  await fill(queue, 1)
  return (await post<Discarded>(`dlqs/${queue}/discard`, by)).backup.id
}

type Listed = { readonly items: readonly { readonly id: string }[]; readonly nextCursor: string | null }
const newestFirst = (ids: readonly string[]) => ids.toReversed()
const idsOf = (items: readonly { readonly id: string }[]) => items.map(({ id }) => id)

async function readAll(path: string): Promise<string[][]> {
  const pages: string[][] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const { items, nextCursor }: Listed = await get<Listed>(`${path}${cursor && `&cursor=${cursor}`}`)
    pages.push(idsOf(items))
    cursor = nextCursor
  }
  return pages
}

describe('a list', () => {
  it('is whole for who does not page, the newest first', async () => {
    const lists = [await get<TaskList>('tasks'), await get<ApprovalList>('approvals')]

    expect(lists.map(({ nextCursor }) => nextCursor)).toEqual([null, null])
    expect(idsOf(lists[0]!.items)).toEqual(newestFirst(idsOf(tasks)))
    expect(idsOf(lists[1]!.items)).toEqual(newestFirst(idsOf(approvals)))
    expect(idsOf((await get<BackupList>('backups')).items)).toEqual(newestFirst(backups))
  })

  it.each([
    ['tasks', () => newestFirst(idsOf(tasks))],
    ['approvals', () => newestFirst(idsOf(approvals))],
    ['backups', () => newestFirst(backups)],
  ])('of %s comes page by page, each once', async (list, all) => {
    const pages = await readAll(`${list}?limit=3`)

    expect(pages.flat()).toEqual(all())
    expect(pages.slice(0, -1).every((page) => page.length === 3)).toBe(true)
  })

  it('goes on where it was, also when something came in meanwhile', async () => {
    const before = idsOf((await get<TaskList>('tasks?limit=4')).items)
    const first = await get<TaskList>('tasks?limit=2')
    const late = await redrive('late.dlq', 'bob')

    const second = await get<TaskList>(`tasks?limit=2&cursor=${first.nextCursor}`)

    expect(idsOf([...first.items, ...second.items])).toEqual(before)
    expect((await get<TaskList>('tasks?limit=1')).items[0]!.id).toBe(late.id)
    tasks.push(late)
  })

  it('of tasks is narrowed to a queue, a person, states and a time', async () => {
    const narrowed = async (query: string, by?: string) =>
      idsOf((await get<TaskList>(`tasks?${query}`, by)).items)
    const [first, second, third] = tasks as [Task, Task, Task]
    const ann = broker.nameOf('ann')

    expect(await narrowed('queue=one.dlq')).toEqual([second.id, first.id])
    expect(await narrowed(`by=${ann}`)).toEqual([third.id, first.id])
    expect(await narrowed(`by=${ann}&queue=one.dlq&kind=redrive`)).toEqual([first.id])
    expect(await narrowed('state=running,paused')).toEqual([])
    expect(await narrowed('state=done&state=failed&queue=one.dlq')).toEqual([second.id, first.id])
    expect(await narrowed(`from=${second.startedAt}&to=${third.startedAt}`)).toEqual([second.id])
    expect(await narrowed('queue=one.dlq', 'lea')).toEqual([])
  })

  it('of approvals is narrowed to states, actions, a queue and a person', async () => {
    const narrowed = async (query: string) => idsOf((await get<ApprovalList>(`approvals?${query}`)).items)
    const [refused, second, ...others] = approvals as [Approval, Approval, ...Approval[]]

    expect(await narrowed('state=refused')).toEqual([refused.id])
    expect(await narrowed('state=waiting&queue=one.dlq')).toEqual([second.id])
    expect(await narrowed('action=discard')).toEqual([others.at(-1)!.id])
    expect(await narrowed('action=apply')).toEqual([])
    expect(await narrowed(`by=${broker.nameOf('bob')}&queue=one.dlq`)).toEqual([second.id])
  })

  it('of backups is narrowed to a queue, a person and a purpose', async () => {
    const narrowed = async (query: string) => idsOf((await get<BackupList>(`backups?${query}`)).items)

    expect(await narrowed('queue=two.dlq')).toEqual(newestFirst(backups.slice(2)))
    expect(await narrowed(`purpose=discard&by=${broker.nameOf('ann')}`)).toEqual([backups[2], backups[0]])
    expect(await narrowed('purpose=backup')).toEqual([])
  })

  it('of the audit log is narrowed to actions, a target, a person and a time, page by page', async () => {
    const read = (query: string) => get<AuditPage>(`audit?${query}`)
    const actionsOf = ({ items }: AuditPage) => items.map(({ action, target }) => `${action} ${target}`)
    const bob = broker.nameOf('bob')

    const discards = await read(`action=discard&by=${bob}&target=one.dlq`)
    const first = await read(`action=discard,approval.ask&by=${bob}&limit=3`)
    const second = await read(`action=discard,approval.ask&by=${bob}&limit=3&cursor=${first.nextCursor}`)
    const [begun] = discards.items
    const since = await read(`action=discard&from=${begun!.at}&to=2999-01-01`)

    expect(actionsOf(discards)).toEqual(['discard one.dlq', 'discard one.dlq']) // its beginning and its end
    expect([...actionsOf(first), ...actionsOf(second)]).toEqual([
      ...['approval.ask two.dlq', 'discard two.dlq', 'discard two.dlq'],
      ...['approval.ask one.dlq', 'discard one.dlq', 'discard one.dlq'],
    ])
    expect((await read('action=nothing.of.the.kind')).items).toEqual([])
    expect(since.items.at(-1)).toEqual(begun)
    expect(since.items.length).toBe(5)
  })
})

describe('what a list cannot be asked for is told by its name, with what is possible', () => {
  it.each([
    ['tasks?state=runing', /^query\.state\.0 must be "running" or "paused" or /],
    ['tasks?kind=discard', /^query\.kind\.0 must be "redrive"/],
    ['tasks?limit=0', /^query\.limit must be >= 1/],
    ['tasks?cursor=nonsense', /^query\.cursor is not a cursor of this list\. Send the nextCursor/],
    ['tasks?cursor=a%20b', /^query\.cursor is not valid\. Expected: The nextCursor of the previous page/],
    ['tasks?from=yesterday', /^query\.from is not valid\. Expected: A date such as 2030-01-31/],
    ['tasks?to=2030-02-31', /^query\.to must be a date such as/],
    ['tasks?from=2030-01-02&to=2030-01-01', /^query\.from must be before query\.to/],
    ['tasks?sate=done', /^query\.sate is unknown; allowed: state, kind, .*; did you mean "state"\?/],
    ['approvals?action=redrives', /^query\.action\.0 must be "redrive" or "discard" or "apply"/],
    ['approvals?state=open', /^query\.state\.0 must be "waiting" or /],
    ['backups?purpose=fun', /^query\.purpose\.0 must be "backup" or "discard"/],
    ['audit?cursor=A-B', /^query\.cursor is not valid\. Expected: The nextCursor of the previous page/],
    ['audit?from=2030-01-02&to=2030-01-01', /^query\.from must be before query\.to/],
  ])('%s', async (path, detail) => {
    const answer = await rig.app.inject({ url: `/api/v1/${path}`, headers: broker.as('ann') })

    expect([answer.statusCode, answer.json<Problem>().code]).toEqual([400, 'API_REQUEST_INVALID'])
    expect(answer.json<Problem>().detail).toMatch(detail)
  })

  it('a cursor of another list', async () => {
    const { nextCursor } = await get<ApprovalList>('approvals?limit=1')
    const answer = await rig.app.inject({
      url: `/api/v1/tasks?cursor=${nextCursor}`,
      headers: broker.as('ann'),
    })

    expect(answer.json<Problem>().detail).toMatch(/^query\.cursor is not a cursor of this list/)
  })
})
