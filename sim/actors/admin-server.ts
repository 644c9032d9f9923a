import { type AuditLog, openAuditLog } from '../../packages/cli/src/http-api/audit/audit-log.ts'
import type { Task } from '../../packages/cli/src/http-api/contract/contract.ts'
import { createQueueTurns } from '../../packages/cli/src/http-api/guards/queue-turns.ts'
import { parseServerKeys } from '../../packages/cli/src/http-api/records/server-keys.ts'
import { isEnded } from '../../packages/cli/src/http-api/tasks/task-state.ts'
import { type NewTask, Tasks } from '../../packages/cli/src/http-api/tasks/tasks.ts'
import { openSessionPair } from '../../packages/warrenmq/src/broker/amqp/open-session-pair.ts'
import { pairManagement } from '../../packages/warrenmq/src/broker/management/pair-management.ts'
import { WarrenError } from '../../packages/warrenmq/src/errors.ts'
import type { QueueFlow } from '../../packages/warrenmq/src/topology/queue-flow.ts'
import { randomUUID, sleep } from '../../packages/warrenmq/src/world.ts'
import type { Random } from '../world/random.ts'
import { type Actor, createActor, type Stage } from './actors.ts'
import type { TaskEnd } from './ledger.ts'
import { amqpPort, brokerHost, managementPort } from './sim-broker.ts'

/** What somebody asks of a server. */
export type AdminDeed = 'start' | 'pause' | 'cancel' | 'go-on' | 'read-audit'

/** All servers have the same. */
export const keys = parseServerKeys('the-key-of-the-simulation-is-long-enough-for-all', 'The simulation')

/** The tasks and the audit log of a `warren serve`, without its HTTP: what it does is told by those who call. */
export function createAdminServer(
  stage: Stage,
  name: string,
  { flow, deeds, random }: { flow: QueueFlow; deeds: readonly AdminDeed[]; random: Random },
): Actor {
  const { ledger, universe } = stage
  const left = [...deeds]
  return createActor(stage, name, async () => {
    ledger.idleServers.delete(name)
    const server = await openServer(stage, name)
    for (let deed = left.shift(); deed; deed = left.shift()) {
      await sleep(random.between(500, 15_000))
      if (deed === 'start' || deed === 'go-on') stage.beginDeed()
      try {
        await doIt(stage, { name, server, flow, deed, random })
      } catch (error) {
        if (!(error instanceof WarrenError)) throw error
        universe.tell(`${name}: the ${deed} ends with ${error.code}`)
      }
    }
    while (server.tasks.list().some(({ state }) => !isEnded(state))) {
      await resumePaused(server)
      await sleep(1000)
    }
    ledger.idleServers.add(name)
    await stage.whenEnding()
    ledger.seenTasks.push({ server: name, tasks: server.tasks.list() })
    await server.close()
  })
}

/** Whoever paused a task may have got no answer, or be gone: somebody sees that it stands still. */
async function resumePaused({ tasks }: OpenServer): Promise<void> {
  const paused = tasks.list().find(({ state }) => state === 'paused')
  if (!paused) return
  await tasks.step(paused.id, 'resume').catch((error: unknown) => {
    if (!(error instanceof WarrenError)) throw error
  })
}

/** Verifies the log when all is over, and tells what it says. */
export function createAuditor(stage: Stage, name: string): Actor {
  return createActor(stage, name, async () => {
    const server = await openServer(stage, name)
    const kept = stage.ledger.audited.map((hash) => ({ hash }))
    const verdict = await server.audit.verify({ by: name, wayIn: 'api', from: name }, { kept })
    stage.ledger.verdicts.push(verdict)
    stage.universe.tell(`the audit log is ${verdict.kind}, with ${verdict.records} records`)
    await server.close()
  })
}

type OpenServer = Awaited<ReturnType<typeof openServer>>

async function openServer({ scenario, universe, ledger }: Stage, name: string) {
  const { heartbeatSeconds } = scenario
  const patience = { heartbeatSeconds, waitForBrokerMs: 120_000, replyTimeoutMs: 20_000 }
  const { consuming, publishing } = await openSessionPair(
    `amqp://guest:guest@${brokerHost}:${amqpPort}`,
    { name, ...patience },
    { name: `${name} publishing`, ...patience },
  )
  const managementUrl = `http://guest:guest@${brokerHost}:${managementPort}`
  const management = pairManagement(consuming, { managementUrl, isManagementGuessed: false })
  const broker = { consuming, publishing, management, vhost: '/' }
  ledger.openings += 1
  const opening = ledger.openings
  const strays = {
    found: (stream: string, kind: string) => void ledger.strays.push({ server: name, opening, stream, kind }),
  }
  const audit = await openAuditLog({ consuming, publishing, keys, strays })
  const tasks = await Tasks.open({
    broker,
    turns: createQueueTurns(),
    lookTimeoutMs: 30_000,
    keys,
    strays,
    onInterrupted: ({ id, queue }) => {
      universe.tell(`${name} finds the task ${id} interrupted`)
      void write({ ledger, audit, name }, { action: 'redrive', target: queue, result: `interrupted ${id}` })
    },
    onError: (error) => universe.tell(`${name}: ${String(error).slice(0, 100)}`),
  })
  return {
    broker,
    audit,
    tasks,
    close: async () => {
      await tasks.close()
      await audit.close()
      await Promise.all([consuming.close(), publishing.close()])
      management.close()
    },
  }
}

async function write(
  { ledger, audit, name }: { ledger: Stage['ledger']; audit: AuditLog; name: string },
  entry: { action: string; target: string; result: string },
): Promise<void> {
  const who = { by: name, wayIn: 'api', from: name, reason: null, receiptDigest: null }
  const record = await audit.write({ ...who, ...entry }).catch((error: unknown) => {
    if (!(error instanceof WarrenError)) throw error
  })
  if (record) ledger.audited.push(record.hash)
}

interface Deed {
  readonly name: string
  readonly server: OpenServer
  readonly flow: QueueFlow
  readonly deed: AdminDeed
  readonly random: Random
}

async function doIt(stage: Stage, { name, server, flow, deed, random }: Deed): Promise<void> {
  const { universe, ledger, scenario } = stage
  const { tasks, audit, broker } = server
  const queue = flow.deadLetterQueue!
  const open = tasks.list().filter(({ state }) => !isEnded(state))
  const begin = (id: string): NewTask => ({
    ...broker,
    id,
    queue,
    flows: [flow],
    to: { kind: 'origin' },
    by: name,
    waitMs: random.pick([3_000, 60_000]),
    acceptDeliveryLimit: true,
    window: { messages: scenario.redriveWindow },
    asked: { kind: 'admin', limit: 1000 },
  })
  const onEnd = async (task: Task, receipt: TaskEnd['receipt']): Promise<void> => {
    ledger.taskEnds.push({ task, receipt })
    if (receipt) {
      ledger.receipts.push({ receipt, window: scenario.redriveWindow })
      ledger.mayBeTwice += receipt.duplicatesPossible
    }
    universe.tell(`${name}: the task ${task.id} is ${task.state}, moved ${task.progress.moved}`)
    await write(
      { ledger, audit, name },
      { action: 'redrive', target: queue, result: `${task.state} ${task.id}` },
    )
  }
  switch (deed) {
    case 'start': {
      const id = randomUUID()
      tasks.refuseIfBusy(queue)
      await write({ ledger, audit, name }, { action: 'redrive', target: queue, result: `begun ${id}` })
      await tasks.start(begin(id), onEnd)
      universe.tell(`${name} starts the task ${id}`)
      return
    }
    case 'pause': {
      const task = open[0]
      if (!task) return
      await tasks.step(task.id, 'pause')
      universe.tell(`${name} pauses the task ${task.id}`)
      await sleep(random.between(100, 5000))
      await tasks.step(task.id, 'resume')
      return
    }
    case 'cancel':
      if (!open[0]) return
      universe.tell(`${name} cancels the task ${open[0].id}`)
      await tasks.step(open[0].id, 'cancel')
      return
    case 'go-on': {
      const task = tasks.list().find(({ state }) => state === 'interrupted')
      if (!task) return
      universe.tell(`${name} goes on with the task ${task.id}`)
      ledger.resumed.add(task.id)
      const parts = ledger.parts.get(task.id) ?? 1
      ledger.parts.set(task.id, parts + 1)
      await tasks.resume(begin(task.id), onEnd)
      return
    }
    case 'read-audit': {
      const page = await audit.readPage({ limit: 10 }, { by: name, wayIn: 'api', from: name })
      universe.tell(`${name} reads ${page.records.length} records of the audit log`)
    }
  }
}
