import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type {
  Approval,
  ApprovalList,
  Task,
  TaskList,
} from '../../../packages/cli/src/http-api/contract/contract.ts'
import { Session } from '../../../packages/warrenmq/src/broker/amqp/session.ts'
import { headerText } from '../../../packages/warrenmq/src/message/header-values.ts'
import type { OutgoingMessage } from '../../../packages/warrenmq/src/publisher/outgoing-message.ts'
import { Publisher } from '../../../packages/warrenmq/src/publisher/publisher.ts'
import { readProperty } from '../../../packages/warrenmq/src/wire/properties.ts'
import { eventually } from '../../support/eventually.ts'
import { namePerTry } from '../../support/name-per-try.ts'
import { type ApiRig, deadLetterTo, setUpApi } from './api-rig.ts'
import { readStreamUntil } from './read-stream-until.ts'
import { useApiBroker } from './use-api-broker.ts'

const broker = await useApiBroker()
const { as, nameOf } = broker
const server = { approval: { above: 3 } }
const mallory = nameOf('mallory')

beforeAll(async () => {
  for (const name of ['ann', 'bob']) await broker.createAccount(name, { tag: 'administrator' })
  await broker.createAccount('mallory', { tag: '' })
  const permissions = { configure: '', write: '^amq\\.default$', read: '' }
  await broker.management('PUT', `/api/permissions/${broker.vhost}/${mallory}`, permissions)
})

/** A server, and somebody without a tag who may write to the default exchange and to nothing else. */
async function setup(options: Partial<Parameters<typeof setUpApi>[0]> = {}) {
  const rig = await setUpApi({ ...broker, server, ...options })
  const session = await Session.open(broker.url.replace(/\/\/.*@/, `//${mallory}:${mallory}@`))
  onTestFinished(() => session.close())
  const publisher = new Publisher(session)
  const forge = async (stream: string, body: unknown, more: Partial<OutgoingMessage> = {}) => {
    const { kind } = await publisher.publish({ key: stream, body, ...more })
    expect(kind).toBe('confirmed')
  }
  return { ...rig, forge }
}

async function fill({ declareDlq, publish }: ApiRig, name: string, count: number): Promise<string> {
  const queue = `${namePerTry(name)}.dlq`
  await declareDlq(queue)
  await declareDlq(`${queue}.work`, deadLetterTo(queue))
  const message = { key: queue, body: 1, headers: { 'x-original-queue': `${queue}.work` } }
  await publish(Array.from({ length: count }, () => message))
  return queue
}

const ask = ({ app }: ApiRig, path: string, person: string, payload?: object) =>
  app.inject({
    method: payload ? 'POST' : 'GET',
    url: `/api/v1/${path}`,
    headers: as(person),
    ...(payload && { payload }),
  })
const tasksOf = async (rig: ApiRig): Promise<readonly Task[]> =>
  (await ask(rig, 'tasks', 'ann')).json<TaskList>().items
const approvalsOf = async (rig: ApiRig): Promise<readonly Approval[]> =>
  (await ask(rig, 'approvals', 'ann')).json<ApprovalList>().items

/** An approval as a server of 0.1 would have written it. */
function inventedApproval(queue: string) {
  const approval = {
    kind: 'approval',
    id: randomUUID(),
    by: nameOf('ann'),
    reason: null,
    messages: 5,
    state: 'waiting',
    asks: { action: 'redrive', request: { queue } },
    askedAt: new Date().toISOString(),
    expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
    decidedBy: null,
    decidedAt: null,
  }
  const asker = { wayIn: 'broker-account', from: '192.0.2.1' }
  return { approval, record: { number: randomUUID(), notice: { kind: 'approval-asked', approval, asker } } }
}

/** A task as a server of 0.1 would have written it. */
function inventedTask(queue: string, more: Partial<Task> = {}, presence = `warren.server.${randomUUID()}.1`) {
  const task = {
    id: randomUUID(),
    kind: 'redrive',
    state: 'running',
    queue,
    by: nameOf('ann'),
    reason: null,
    host: 'nowhere',
    startedAt: new Date().toISOString(),
    endedAt: null,
    movedBefore: 0,
    problem: null,
    progress: { present: 1, moved: 0, failed: 0, kept: 0 },
    ...more,
  }
  const asked = { kind: 'redrive', request: { queue } }
  return { kind: 'task', shared: { task, run: 1, server: randomUUID(), presence, asked, receipt: null } }
}

describe('an approval that somebody invented', () => {
  it('is shown as unsigned, and no single person can grant it', async () => {
    const rig = await setup()
    const queue = await fill(rig, 'invented', 5)
    const { approval, record } = inventedApproval(queue)

    await rig.forge('warren.notices', record)
    await eventually(async () => expect((await approvalsOf(rig)).map(({ id }) => id)).toContain(approval.id))
    const granted = await ask(rig, `approvals/${approval.id}/grant`, 'bob', {})

    expect(granted.statusCode, granted.body).toBe(403)
    expect(granted.json()).toMatchObject({ code: 'API_APPROVAL_UNPROVED' })
    expect((await approvalsOf(rig)).find(({ id }) => id === approval.id)).toMatchObject({
      state: 'waiting',
      isSigned: false,
    })
    await broker.expectDepths({ [queue]: 5, [`${queue}.work`]: 0 })
  })

  it('cannot be taken for a real one by its id, nor decide a real one', async () => {
    const rig = await setup()
    const queue = await fill(rig, 'decided', 5)
    const { id } = (await ask(rig, 'redrives', 'ann', { queue })).json<Approval>()
    const { approval, record } = inventedApproval(queue)

    const decision = { id, decision: 'refused', by: nameOf('bob'), at: new Date().toISOString() }
    await rig.forge('warren.notices', {
      number: randomUUID(),
      notice: { kind: 'approval-decided', ...decision },
    })
    await rig.forge('warren.notices', record)
    await eventually(async () =>
      expect((await approvalsOf(rig)).map((each) => each.id)).toContain(approval.id),
    )

    const granted = await ask(rig, `approvals/${id}/grant`, 'bob', {})
    expect(granted.statusCode, granted.body).toBe(202)
    expect(granted.json()).toMatchObject({ state: 'granted', isSigned: true })
  })
})

describe('a task', () => {
  it('is not cancelled by who may only write', async () => {
    const rig = await setup()
    const queue = await fill(rig, 'cancelled', 3)
    const { id } = (await ask(rig, 'redrives', 'ann', { queue, ratePerSecond: 1 })).json<Task>()
    const marker = inventedTask(await fill(rig, 'marker', 0))

    await rig.forge('warren.tasks', { kind: 'step', id, run: 1, step: 'cancel' })
    await rig.forge('warren.tasks', marker)
    await eventually(async () =>
      expect((await tasksOf(rig)).map((each) => each.id)).toContain(marker.shared.task.id),
    )
    await rig.app.inject({ url: `/api/v1/tasks/${id}/events`, headers: as('ann') })

    expect((await ask(rig, `tasks/${id}`, 'ann')).json()).toMatchObject({ state: 'done', isSigned: true })
  })

  it('that somebody invented blocks no queue, can be resumed by nobody and is shown as unsigned, also after a restart', async () => {
    const first = await setup()
    const queue = await fill(first, 'blocked', 3)
    const running = inventedTask(queue)
    const ended = inventedTask(queue, { state: 'interrupted' })
    for (const record of [running, ended]) await first.forge('warren.tasks', record)

    for (const rig of [first, await setup()]) {
      await eventually(async () =>
        expect((await tasksOf(rig)).map(({ id }) => id)).toEqual(
          expect.arrayContaining([running.shared.task.id, ended.shared.task.id]),
        ),
      )
      const invented = (await tasksOf(rig)).filter((task) => task.queue === queue && task.host === 'nowhere')
      expect(invented.map(({ isSigned }) => isSigned)).toEqual([false, false])
      const resumed = await ask(rig, `tasks/${ended.shared.task.id}/resume`, 'bob', {})
      expect(resumed.json(), resumed.body).toMatchObject({ status: 409, code: 'API_TASK_UNPROVED' })
      const redrive = await ask(rig, 'redrives', 'ann', { queue, limit: 1 })
      expect(redrive.statusCode, redrive.body).toBe(202)
      const { id } = redrive.json<Task>()
      await rig.app.inject({ url: `/api/v1/tasks/${id}/events`, headers: as('ann') })
    }
    await broker.expectDepths({ [queue]: 1, [`${queue}.work`]: 2 })
  })
})

describe('what does not belong into a stream', () => {
  it('stops no list and no start, is counted, and is told once', async () => {
    const lines: string[] = []
    const logger = { level: 'warn', stream: { write: (line: string) => void lines.push(line) } }
    const first = await setup()
    const queue = await fill(first, 'junk', 3)
    const { record } = inventedApproval(queue)
    const { shared } = inventedTask(queue)
    const broken = [
      ...['no JSON', 1, [], null, { kind: 'task' }, { kind: 'step' }, { kind: 'hello' }],
      { kind: 'task', shared: { ...shared, task: { id: shared.task.id } } },
      { kind: 'task', shared: { ...shared, task: { ...shared.task, progress: null } } },
      { kind: 'task', shared: { ...shared, task: { ...shared.task, startedAt: 7 } } },
      { kind: 'task', shared: { ...shared, asked: 'x', receipt: 7 } },
      { kind: 'task', shared: { ...shared, presence: queue } },
      { ...record, notice: { ...record.notice, approval: { id: 'x' } } },
      { ...record, notice: { ...record.notice, approval: { ...record.notice.approval, asks: null } } },
      {
        ...record,
        notice: { ...record.notice, approval: { ...record.notice.approval, asks: { action: 'redrive' } } },
      },
      { ...record, notice: { kind: 'session-closed', session: 'x', expiresAt: 'never' } },
    ]

    for (const stream of ['warren.tasks', 'warren.notices', 'warren.audit'])
      for (const body of broken) await first.forge(stream, body)
    // A place in the stream that is not its own, behind which nothing would be read.
    await first.forge('warren.tasks', 'x', { headers: { 'x-stream-offset': 1e15 } })
    const { id } = (await ask(first, 'redrives', 'ann', { queue })).json<Task>()
    await first.app.inject({ url: `/api/v1/tasks/${id}/events`, headers: as('ann') })

    for (const rig of [first, await setup({ logger })]) {
      const answers = [await ask(rig, 'tasks', 'ann'), await ask(rig, 'approvals', 'ann')]
      expect(answers.map(({ statusCode, body }) => [statusCode, statusCode === 200 ? '' : body])).toEqual([
        [200, ''],
        [200, ''],
      ])
      expect((await tasksOf(rig)).find((each) => each.id === id)?.state).toBe('done')
      const { body } = await rig.app.inject({ url: '/metrics', headers: as('ann') })
      expect(body).toMatch(
        /warren_stray_records_total\{stream="warren\.tasks",kind="unreadable"\} (?!0$)\d+$/m,
      )
      for (let poll = 0; poll < 3; poll += 1) await ask(rig, 'tasks', 'ann')
    }
    const told = () => lines.filter((line) => line.includes('"stream":"warren.tasks"'))
    await eventually(() => expect(told()).toHaveLength(1))
  })
})

describe('a record that is copied, seal and all,', () => {
  it('is passed over: a task that has ended does not run again, also after a restart', async () => {
    const rig = await setup()
    const queue = await fill(rig, 'copied', 3)
    const { id } = (await ask(rig, 'redrives', 'ann', { queue })).json<Task>()
    await rig.app.inject({ url: `/api/v1/tasks/${id}/events`, headers: as('ann') })
    const isOf = (state: string) => (body: string) => body.includes(id) && body.includes(`"state":"${state}"`)
    const records = await readStreamUntil(rig.consuming, 'warren.tasks', isOf('done'))
    const begun = records.find(({ body }) => isOf('running')(body))!

    const seal = headerText(readProperty(begun.properties, 'headers'), 'warren-seal')!
    await rig.forge('warren.tasks', begun.body, { headers: { 'warren-seal': seal } })

    for (const server of [rig, await setup()]) {
      await eventually(async () => {
        const { body } = await server.app.inject({ url: '/metrics', headers: as('ann') })
        expect(body).toMatch(/warren_stray_records_total\{stream="warren\.tasks",kind="replayed"\} [1-9]/)
      })
      expect((await tasksOf(server)).find((task) => task.id === id)?.state).toBe('done')
    }
  })
})

describe('servers without a key', () => {
  const env = { WARREN_SERVER_KEY: '' }

  it('prove what they wrote themselves, and nothing of each other, and say so', async () => {
    const lines: string[] = []
    const logger = { level: 'warn', stream: { write: (line: string) => void lines.push(line) } }
    const [one, two] = [await setup({ env, logger }), await setup({ env })]
    const queue = await fill(one, 'keyless', 5)
    const { id } = (await ask(one, 'redrives', 'ann', { queue })).json<Approval>()
    await eventually(async () => expect((await approvalsOf(two)).map((each) => each.id)).toContain(id))

    const elsewhere = await ask(two, `approvals/${id}/grant`, 'bob', {})
    const here = await ask(one, `approvals/${id}/grant`, 'bob', {})
    await one.app.inject({ url: `/api/v1/tasks/${id}/events`, headers: as('ann') })

    expect(elsewhere.json()).toMatchObject({ status: 403, code: 'API_APPROVAL_UNPROVED' })
    expect(here.statusCode, here.body).toBe(202)
    await eventually(async () =>
      expect((await tasksOf(two)).find((task) => task.id === id)).toMatchObject({
        state: 'done',
        isSigned: false,
      }),
    )
    expect(lines.join('')).toContain('there is no WARREN_SERVER_KEY')
  })
})

describe('a key that is replaced', () => {
  it('is believed as long as it is named, on servers of the old and of the new one', async () => {
    const [before, after] = ['o'.repeat(32), 'n'.repeat(32)]
    const both = { WARREN_SERVER_KEY: `${after},${before}` }
    const old = await setup({ env: { WARREN_SERVER_KEY: before } })
    const queue = await fill(old, 'rotated', 5)
    const { id } = (await ask(old, 'redrives', 'ann', { queue })).json<Approval>()

    const next = await setup({ env: both })
    const granted = await ask(next, `approvals/${id}/grant`, 'bob', {})
    await next.app.inject({ url: `/api/v1/tasks/${id}/events`, headers: as('ann') })
    const last = await setup({ env: { WARREN_SERVER_KEY: after } })

    expect(granted.statusCode, granted.body).toBe(202)
    expect((await tasksOf(last)).find((task) => task.id === id)).toMatchObject({
      state: 'done',
      isSigned: true,
    })
    expect((await approvalsOf(last)).find((each) => each.id === id)).toMatchObject({ isSigned: false })
  })

  it('is believed by all servers during the change, where all know the new one before any signs with it', async () => {
    const [before, after] = ['o'.repeat(32), 'n'.repeat(32)]
    const first = await setup({ env: { WARREN_SERVER_KEY: `${before},${after}` } })
    const second = await setup({ env: { WARREN_SERVER_KEY: `${after},${before}` } })

    for (const [asking, granting] of [
      [first, second],
      [second, first],
    ] as const) {
      const queue = await fill(asking, 'changing', 5)
      const { id } = (await ask(asking, 'redrives', 'ann', { queue })).json<Approval>()
      await eventually(async () =>
        expect((await approvalsOf(granting)).find((each) => each.id === id)).toMatchObject({
          isSigned: true,
        }),
      )

      const granted = await ask(granting, `approvals/${id}/grant`, 'bob', {})

      expect(granted.statusCode, granted.body).toBe(202)
      await eventually(async () =>
        expect((await tasksOf(asking)).find((task) => task.id === id)).toMatchObject({
          state: 'done',
          isSigned: true,
        }),
      )
    }
  })
})
