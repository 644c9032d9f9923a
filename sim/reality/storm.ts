import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ProfileName } from '../../packages/warrenmq/src/embedded/model/profile.ts'
import type { Violation } from '../check/evidence.ts'
import type { Fault } from '../nemesis/faults.ts'
import { type ClientProcess, startClient } from './client-process.ts'
import type { ClientTask, Role } from './client-task.ts'
import { readJournal, type SeededEntry } from './journal.ts'
import { type Judgement, judge, readSealed } from './judge.ts'
import { keepTraces } from './keep-traces.ts'
import type { MortalBroker } from './mortal-broker.ts'
import { planWave } from './plan-world.ts'
import { Search } from './search.ts'
import { journalOf, openStage, type Stage } from './stage.ts'
import { healOne, strikeReal } from './strike-real.ts'
import type { Tally } from './tally.ts'
import { turnsTrue } from './turns-true.ts'

export interface StormOptions {
  readonly broker: MortalBroker
  readonly profile: ProfileName
  /** One world each, all at once on the same node. */
  readonly seeds: readonly number[]
  readonly stormMs: number
  readonly tally: Tally
  /** The bundle with the actors. */
  readonly script: string
  readonly folder: string
}

export interface SeedJudgement extends Judgement {
  readonly seed: number
}

/** The longest that anything may take when the faults are over. */
const longestCalmMs = 180_000
/** A quorum queue has written down that it exists by then. */
const shortestRestMs = 1_000

const cast: readonly { role: Role; number: number; actor: string }[] = [
  { role: 'publisher', number: 1, actor: 'publisher-1' },
  { role: 'publisher', number: 2, actor: 'publisher-2' },
  { role: 'consumer', number: 1, actor: 'consumer-1' },
  { role: 'consumer', number: 2, actor: 'consumer-2' },
  { role: 'consumer', number: 3, actor: 'consumer-3' },
  { role: 'operator', number: 1, actor: 'operator-1' },
  { role: 'operator', number: 2, actor: 'operator-2' },
]

/** Some worlds under some minutes of faults, and what became of their messages. */
export async function runStorm(options: StormOptions): Promise<readonly SeedJudgement[]> {
  const { broker, profile, seeds, stormMs, tally } = options
  const folder = join(options.folder, `storm-${seeds[0]}`)
  mkdirSync(folder, { recursive: true })
  const clients: ClientProcess<ClientTask>[] = []
  const stages: Stage[] = []
  const onStrike = (fault: Fault, stage: Stage): void => strikeReal(fault, { stage, broker, clients, tally })
  const actors = ['deployer', ...cast.map(({ actor }) => actor)]
  const isOf = (stage: Stage, { role, number }: (typeof cast)[number]): boolean =>
    number <=
    {
      publisher: stage.plan.scenario.publishers,
      consumer: stage.plan.scenario.consumers.length,
      operator: 2,
      deployer: 1,
    }[role]
  try {
    for (const seed of seeds) {
      const place = { broker, profile, seed, actors }
      stages.push(await openStage({ ...place, onStrike, onCut: () => tally.count('cut') }))
    }
    const start = (part: (typeof cast)[number]): ClientProcess<ClientTask> | undefined => {
      const of = stages.filter((stage) => part.role === 'deployer' || isOf(stage, part))
      if (of.length === 0) return undefined
      const worlds = of.map((stage) => stage.worldOf(part.actor))
      const task = { ...part, worlds, folder, journal: journalOf(folder, part.actor) }
      return startClient(options.script, task, { onDeed: (seed) => beginDeed(stages, seed) })
    }
    await deploy(start)
    await broker.syncRegistrations()
    await sleep(shortestRestMs)
    for (const part of cast) {
      const client = start(part)
      if (client) clients.push(client)
    }
    const endAt = performance.now() + stormMs
    await Promise.all(stages.map((stage) => rain(stage, { onStrike, endAt })))
    const judgements = await calmDown(options, { stages, clients, folder })
    if (judgements.some(({ violations }) => violations.length > 0)) keepTraces(folder, broker)
    return judgements
  } finally {
    for (const client of clients) client.destroy()
    await broker.settled()
    for (const stage of stages) await stage.end()
    if (!process.env.WARREN_REALITY_KEEP) rmSync(folder, { recursive: true, force: true })
  }
}

/** The deployer ends by itself when all is declared. */
async function deploy(
  start: (part: (typeof cast)[number]) => ClientProcess<ClientTask> | undefined,
): Promise<void> {
  await start({ role: 'deployer', number: 1, actor: 'deployer' })!.end()
}

function beginDeed(stages: readonly Stage[], seed: number): void {
  stages.find(({ plan }) => plan.seed === seed)?.aim.comes('deed')
}

/** One wave of faults after the other. */
async function rain(
  stage: Stage,
  { onStrike, endAt }: { onStrike: (fault: Fault, stage: Stage) => void; endAt: number },
): Promise<void> {
  const random = stage.plan.random.fork('waves')
  for (let wave = 0; performance.now() < endAt; wave += 1) {
    const beganAt = performance.now()
    for (const fault of planWave(stage.plan, { wave })) {
      await sleep(Math.max(0, beganAt + fault.atMs - performance.now()))
      if (fault.aim) stage.aim.wait(fault)
      else onStrike(fault, stage)
    }
    await sleep(random.between(100, 900))
  }
  stage.aim.end()
}

/** The faults are over: everything comes to its end now, and is counted. */
async function calmDown(
  { broker }: StormOptions,
  {
    stages,
    clients,
    folder,
  }: { stages: readonly Stage[]; clients: readonly ClientProcess<ClientTask>[]; folder: string },
): Promise<readonly SeedJudgement[]> {
  await broker.settled()
  for (const client of clients) client.goOn()
  const hanging: Violation[] = []
  const demand = async (what: string, check: () => boolean | Promise<boolean>): Promise<void> => {
    if (!(await turnsTrue(check, longestCalmMs))) hanging.push({ rule: 'nothing-hangs', detail: what })
  }
  await demand('what the faults changed cannot be undone', async () => {
    const done = await Promise.all(
      stages.flatMap((stage) => [...stage.heal.keys()].map((kind) => healOne(stage, kind))),
    )
    return done.every(Boolean)
  })
  const endOf = async (role: Role): Promise<void> => {
    const ofRole = clients.filter(({ task }) => task.role === role)
    const living = new Set(ofRole)
    for (const client of ofRole) void client.end().then(() => living.delete(client))
    for (const client of ofRole) await demand(`${client.task.actor} does not end`, () => !living.has(client))
  }
  await Promise.all([endOf('publisher'), endOf('operator')])
  for (const stage of stages)
    await demand(`seed ${stage.plan.seed}: the work queue is not handled`, () => isHandled(stage))
  await endOf('consumer')
  const entries = clients.flatMap(({ task }) => readJournal(task.journal))
  const searches = stages.map((stage, index) => {
    const { seed } = stage.plan
    const own = entries.filter((entry) => entry.seed === seed || (entry.seed === 0 && index === 0))
    return new Search({ stage, broker, entries: own, sealed: readSealed(folder, seed) })
  })
  await Promise.all(searches.map((search) => search.look()))
  const violations = [...hanging, ...(await findBehindRestart(searches, { broker, folder }))]
  return searches.map(({ stage, entries: own, sealed, found }, index) => {
    const { seed } = stage.plan
    writeFileSync(join(folder, `${seed}-found.json`), JSON.stringify(found))
    const findings = { entries: own, found, sealed, maxAttempts: stage.flow.maxAttempts }
    const judgement = judge({ ...findings, duplicatesAllowed: allowedOf(stage, own) })
    return { ...judgement, violations: [...judgement.violations, ...(index === 0 ? violations : [])], seed }
  })
}

/** A message that no client sees may still be there: the queues are asked, and whether a restart gives it back. */
async function findBehindRestart(
  searches: readonly Search[],
  { broker, folder }: { broker: MortalBroker; folder: string },
): Promise<readonly Violation[]> {
  const incomplete = searches.filter(({ missing }) => missing.length > 0)
  if (incomplete.length === 0) return []
  for (const { stage } of incomplete)
    writeFileSync(join(folder, `${stage.plan.seed}-queues.txt`), await broker.describeQueues(stage.vhost))
  const before = incomplete.map(({ missing }) => missing.length)
  await broker.restart()
  await Promise.all(incomplete.map((search) => search.look()))
  return incomplete.flatMap(({ stage, missing }, index) => {
    const came = before[index]! - missing.length
    if (came === 0) return []
    const detail = `seed ${stage.plan.seed}: ${came} messages came only after RabbitMQ was started again`
    return [{ rule: 'nothing-hangs', detail }]
  })
}

/** Nothing waits for the consumers. Their queue is asked, since the HTTP API counts late. */
async function isHandled({ flow, vhost, read }: Stage): Promise<boolean> {
  const { messages } = await read<{ messages?: number }>(
    `/api/queues/${encodeURIComponent(vhost)}/${flow.queue}`,
  )
  return messages === 0
}

/** What lost connections had in hand, and what was told of. */
function allowedOf({ relays }: Stage, entries: readonly SeededEntry[]): number {
  const told = entries.reduce((sum, entry) => sum + (entry.what === 'twice' ? entry.count : 0), 0)
  return [...relays.values()].reduce((sum, { mayBeTwice }) => sum + mayBeTwice, told)
}
