import { setTimeout as sleep } from 'node:timers/promises'
import { WarrenError } from '../../packages/warrenmq/src/errors.ts'
import { connect, type Warren } from '../../packages/warrenmq/src/index.ts'
import { consume } from './act/consume.ts'
import { operate } from './act/operate.ts'
import { publish } from './act/publish.ts'
import type { ClientTask, ClientWorld, Part } from './client-task.ts'
import { openJournal } from './journal.ts'
import { planWorld } from './plan-world.ts'

// One process with the same actor of several worlds. It may be killed -9 at any moment, and started again.

const task = JSON.parse(process.argv[2]!) as ClientTask
const journal = openJournal(task.journal, task.actor)
const ending = new AbortController()
process.on('message', () => ending.abort())
process.on('disconnect', () => process.exit(1))
for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
  process.on(event, (error: unknown) => {
    journal.write(0, { what: 'crash', stack: error instanceof Error ? String(error.stack) : String(error) })
  })
}

await Promise.all(task.worlds.map((world) => playOn(world)))
process.exit(0)

/** As an orchestrator does: what fails is started again after a pause. */
async function playOn(world: ClientWorld): Promise<void> {
  const { seed } = world
  for (;;) {
    try {
      return await play(world)
    } catch (error) {
      if (error instanceof WarrenError) journal.write(seed, { what: 'gives-up', code: error.code })
      else journal.write(seed, { what: 'crash', stack: String((error as Error).stack) })
      await sleep(100)
    }
  }
}

async function play(world: ClientWorld): Promise<void> {
  const { seed, profile } = world
  const plan = planWorld(seed, profile)
  const { role, actor, number } = task
  const warren = await openWarren(world, plan.scenario.topology)
  const part: Part = {
    plan,
    world,
    actor,
    number,
    warren,
    folder: task.folder,
    ending: ending.signal,
    random: plan.random.fork(`${actor} ${process.pid}`),
    note: (entry) => journal.write(seed, entry),
    beginDeed: () => void process.send?.({ deedOf: seed }),
  }
  try {
    if (role === 'deployer') await warren.apply()
    if (role === 'publisher') await publish(part, task.journal)
    if (role === 'consumer') await consume(part)
    if (role === 'operator') await operate(part)
  } finally {
    await warren.close()
  }
}

function openWarren(
  { url, managementUrl }: ClientWorld,
  topology: ReturnType<typeof planWorld>['scenario']['topology'],
): Promise<Warren<string>> {
  return connect(url, {
    topology,
    managementUrl,
    heartbeatSeconds: 2,
    connectTimeout: '5s',
    replyTimeout: '15s',
    waitForBroker: '3m',
    backoff: { initial: '20ms', max: '400ms' },
  })
}
