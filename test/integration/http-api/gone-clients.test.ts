import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { request as ask, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type {
  ApprovalList,
  AuditPage,
  Discarded,
  Restored,
  TaskList,
} from '../../../packages/cli/src/http-api/contract/contract.ts'
import { mostOfCaller } from '../../../packages/cli/src/http-api/events/open-streams.ts'
import { eventually } from '../../support/eventually.ts'
import { namePerTry } from '../../support/name-per-try.ts'
import { type ApiRig, setUpApi } from './api-rig.ts'
import { useApiBroker } from './use-api-broker.ts'

const broker = await useApiBroker()
const { headers } = broker

/** The way to the management API, on which questions below a path wait until they are let go. */
async function startGate(heldPath = '/api/queues') {
  let open = (): void => {}
  let opened: Promise<void> = Promise.resolve()
  const waiting: string[] = []
  const answered: string[] = []
  const server = createServer((incoming, answer) => {
    const isHeld = incoming.url!.startsWith(heldPath)
    if (isHeld) waiting.push(incoming.url!)
    void (isHeld ? opened : Promise.resolve()).then(() => {
      const { method, headers: sent } = incoming
      const onward = ask(new URL(incoming.url!, broker.managementUrl), { method, headers: sent }, (got) => {
        answer.writeHead(got.statusCode!, got.headers)
        got.pipe(answer)
        answer.once('finish', () => void answered.push(incoming.url!))
      })
      incoming.pipe(onward)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { username, password } = broker
  return {
    managementUrl: `http://${username}:${password}@127.0.0.1:${(server.address() as AddressInfo).port}`,
    waiting,
    answered,
    shut: () => {
      waiting.length = 0
      opened = new Promise((resolve) => {
        open = resolve
      })
    },
    open: () => open(),
  }
}

function countClients({ app }: ApiRig): Promise<number> {
  return new Promise((resolve, reject) =>
    app.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  )
}

const isGone = (line: string): boolean => line.includes('did not wait for the answer')

async function setup(name: string, server: object = {}) {
  const queue = `${namePerTry(name)}.dlq`
  const folder = mkdtempSync(join(tmpdir(), 'warren-gone-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const gate = await startGate()
  const lines: string[] = []
  const logger = { level: 'error', stream: { write: (line: string) => void lines.push(line) } }
  const rig = await setUpApi({
    ...broker,
    managementUrl: gate.managementUrl,
    logger,
    server: { backups: { folder }, history: { every: '1h' }, ...server },
  })
  await rig.declareDlq(queue)
  await rig.publish([1, 2, 3].map((body) => ({ key: queue, body, messageId: `m-${body}` })))
  // A server reads the depths once when it starts, in two lists. What of that came to the gate when it is shut would be
  // taken for the request, and its client would leave before the server has heard of it.
  const lists = () => gate.answered.filter((path) => /^\/api\/queues\/[^/]+\?/.test(path))
  await eventually(() => expect(lists().length).toBeGreaterThanOrEqual(2), { what: 'the first depths' })
  const url = await rig.listen()

  /** Asks, leaves while the server reads which queues there are, and waits until the server has noticed. */
  async function askAndLeave(
    path: string,
    options: { body: string | Uint8Array<ArrayBuffer>; type: string },
  ) {
    const leaving = new AbortController()
    gate.shut()
    const asked = fetch(`${url}${path}`, {
      method: 'POST',
      body: options.body,
      signal: leaving.signal,
      headers: { ...headers, 'content-type': options.type },
    })
    asked.catch(() => undefined) // it is broken off below
    await eventually(() => expect(gate.waiting).not.toEqual([]), { what: 'the request at the gate' })
    leaving.abort()
    await expect(asked).rejects.toThrow('aborted')
    await eventually(async () => expect(await countClients(rig)).toBe(0), { what: 'the client to be gone' })
    gate.open()
    await eventually(() => expect(lines.some(isGone)).toBe(true), {
      what: 'the server to see that nobody waits',
    })
  }

  return { rig, queue, folder, askAndLeave }
}

async function actionsOn({ app }: ApiRig, queue: string): Promise<string[]> {
  const { items } = (await app.inject({ url: '/api/v1/audit', headers })).json<AuditPage>()
  return items.filter(({ target }) => target === queue).map(({ action }) => action)
}

describe('what nobody waits for any more', () => {
  it('is not discarded', async () => {
    const { rig, queue, folder, askAndLeave } = await setup('left')

    await askAndLeave(`/api/v1/dlqs/${queue}/discard`, { body: '{}', type: 'application/json' })

    await broker.expectDepths({ [queue]: 3 })
    expect(await actionsOn(rig, queue)).toEqual([])
    expect(readdirSync(folder)).toEqual([])
  })

  it('is not asked of a second person', async () => {
    const { rig, queue, askAndLeave } = await setup('unasked', { approval: { above: 1 } })

    await askAndLeave(`/api/v1/dlqs/${queue}/discard`, { body: '{}', type: 'application/json' })

    const { items } = (await rig.app.inject({ url: '/api/v1/approvals', headers })).json<ApprovalList>()
    expect(items).toEqual([])
    expect(await actionsOn(rig, queue)).toEqual([])
  })

  it('is not restored, and can be restored by who asks again', async () => {
    const { rig, queue, folder, askAndLeave } = await setup('unrestored')
    const { app } = rig
    const discarded = await app.inject({
      method: 'POST',
      url: `/api/v1/dlqs/${queue}/discard`,
      headers,
      payload: {},
    })
    const { backup } = discarded.json<Discarded>()
    const { rawPayload } = await app.inject({ url: `/api/v1/backups/${backup.id}`, headers })
    rmSync(join(folder, `${backup.id}.backup`)) // so that it comes from elsewhere

    await askAndLeave('/api/v1/restores', { body: new Uint8Array(rawPayload), type: 'application/gzip' })
    const [left, keptInVain] = [await broker.depth(queue), readdirSync(folder)]
    const again = await app.inject({
      method: 'POST',
      url: '/api/v1/restores',
      payload: rawPayload,
      headers: { ...headers, 'content-type': 'application/gzip' },
    })

    expect([left, keptInVain]).toEqual([0, []])
    expect(again.json<Restored>()).toMatchObject({ records: 3, restored: 3, failed: 0 })
    await broker.expectDepths({ [queue]: 3 })
    expect(await actionsOn(rig, queue)).toEqual([...['restore', 'restore', 'backup', 'discard', 'discard']])
    expect((await app.inject({ url: '/api/v1/tasks', headers })).json<TaskList>().items).toEqual([])
  })
})

describe('a stream of events whose client left while RabbitMQ was asked who it is', () => {
  it('is not opened, so that its place is free for who comes next', async () => {
    const who = namePerTry('streams')
    await broker.createAccount(who, { tag: 'monitoring' })
    const gate = await startGate('/api/whoami')
    const lines: string[] = []
    const logger = { level: 'error', stream: { write: (line: string) => void lines.push(line) } }
    const rig = await setUpApi({ ...broker, managementUrl: gate.managementUrl, logger })
    const url = await rig.listen()
    const watch = (signal: AbortSignal) =>
      fetch(`${url}/api/v1/events?topics=tasks`, { headers: broker.as(who), signal })
    const [leaving, staying] = [new AbortController(), new AbortController()]
    onTestFinished(() => staying.abort())

    gate.shut()
    const asked = Array.from({ length: mostOfCaller }, () => watch(leaving.signal))
    const refused = Promise.allSettled(asked)
    await eventually(() => expect(gate.waiting).not.toEqual([]), { what: 'the question at the gate' })
    await eventually(async () => expect(await countClients(rig)).toBe(mostOfCaller))
    leaving.abort()
    await refused
    await eventually(async () => expect(await countClients(rig)).toBe(0), { what: 'the clients to be gone' })
    gate.open()
    await eventually(() => expect(lines.filter(isGone)).toHaveLength(mostOfCaller))
    const next = await watch(staying.signal)

    expect(next.status).toBe(200)
  })
})
