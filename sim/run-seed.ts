import type { ProfileName } from '../packages/warrenmq/src/embedded/model/profile.ts'
import { compileTopology } from '../packages/warrenmq/src/topology/compile-topology.ts'
import type { QueueFlow } from '../packages/warrenmq/src/topology/queue-flow.ts'
import { enterWorld, nodeWorld } from '../packages/warrenmq/src/world.ts'
import { type Actor, createConsumer, createDeployer, createPublisher, type Stage } from './actors/actors.ts'
import { type AdminDeed, createAdminServer, createAuditor } from './actors/admin-server.ts'
import { BrokerWatch } from './actors/broker-watch.ts'
import { Ledger } from './actors/ledger.ts'
import { createOperator, type Deed } from './actors/operator.ts'
import { planScenario, type Scenario } from './actors/scenario.ts'
import { createSharedStore } from './actors/shared-store.ts'
import { SimBroker } from './actors/sim-broker.ts'
import { checkAttempts } from './check/check-attempts.ts'
import { checkAudit } from './check/check-audit.ts'
import { checkDuplicates } from './check/check-duplicates.ts'
import { checkLeaks } from './check/check-leaks.ts'
import { checkLock } from './check/check-lock.ts'
import { checkMetrics } from './check/check-metrics.ts'
import { checkNothingLost } from './check/check-nothing-lost.ts'
import { checkOrder } from './check/check-order.ts'
import { checkReceipts } from './check/check-receipts.ts'
import { checkTasks } from './check/check-tasks.ts'
import type { Evidence, Violation } from './check/evidence.ts'
import { describeQueues, isSettled } from './check/queue-contents.ts'
import { Aim } from './nemesis/aim.ts'
import { type Fault, type FaultKind, planFaults } from './nemesis/faults.ts'
import { type Binding, strike } from './nemesis/strike.ts'
import { createRandom } from './world/random.ts'
import { SimProcess } from './world/sim-process.ts'
import { createUniverse, type Universe } from './world/universe.ts'

export interface SeedChoice {
  readonly seed: number
  readonly profile: ProfileName
  readonly kinds: readonly FaultKind[]
  /** Of the faults that the seed gives, only those with these numbers. @default all */
  readonly only?: readonly number[] | undefined
  /** Errors have their stacks, to find a bug with. The hash is another one then. */
  readonly hasStacks?: boolean
}

export interface SeedResult {
  readonly seed: number
  readonly profile: ProfileName
  readonly layout: string
  readonly hash: string
  readonly faults: readonly Fault[]
  readonly violations: readonly Violation[]
  readonly story: readonly string[]
  readonly virtualMs: number
  readonly events: number
}

/** For how long the nemesis strikes: most happens in the first seconds. */
const faultWindowsMs = [2_000, 15_000, 40_000]
/** After the last fault has ended, everything is over within this much virtual time. */
const shortestDrainMs = 30 * 60_000
/** The last words of a connection are on their way for so long. */
const farewellMs = 100_000
/** A fault that is aimed at a re-drive strikes at most so long after its beginning. */
const longestAimMs = 1500
const longestGoodbyeMs = 5 * 60_000

/** One world, from its beginning to its end. */
export async function runSeed(choice: SeedChoice): Promise<SeedResult> {
  const { seed, profile, kinds } = choice
  const random = createRandom(seed)
  const scenario = planScenario(random.fork('scenario'), profile)
  const chance = random.fork('faults')
  const planned = planFaults(chance, { kinds, windowMs: chance.pick(faultWindowsMs) })
  const faults = planned.filter((_, index) => choice.only?.includes(index) ?? true)
  const violations: Violation[] = []
  const violate = (rule: string, detail: string): void => {
    violations.push({ rule, detail })
    universe.tell(`VIOLATION of ${rule}: ${detail}`)
  }
  const universe = createUniverse({
    seed,
    weather: scenario.weather,
    onError: (error, process) => violate('no-crash', `${process.name}: ${describe(error)}`),
  })
  enterWorld(universe.world)
  Object.assign(globalThis, {
    ownOfProcess: <Value>(name: string, create: () => Value) => universe.loop.current.own(name, create),
  })
  const unhandled = (error: unknown): void => violate('no-unhandled-rejection', describe(error))
  const uncaught = (error: unknown): void => violate('no-crash', describe(error))
  process.on('unhandledRejection', unhandled)
  process.on('uncaughtException', uncaught)
  const { emitWarning } = process
  const { stackTraceLimit } = Error
  // A stack names files of this machine, and messages carry the stacks of handlers' errors: it would be part of the hash.
  if (!choice.hasStacks) Error.stackTraceLimit = 0
  process.emitWarning = (warning: string | Error) => universe.loop.trace.add(`warning ${String(warning)}`)
  try {
    await play({ universe, scenario, faults, violate, seed })
  } catch (error) {
    violate('no-crash', describe(error))
  } finally {
    process.off('unhandledRejection', unhandled)
    process.off('uncaughtException', uncaught)
    process.emitWarning = emitWarning
    Error.stackTraceLimit = stackTraceLimit
    enterWorld(nodeWorld)
  }
  const { trace, nowMs } = universe.loop
  return {
    seed,
    profile,
    layout: scenario.layout,
    hash: trace.digest(),
    faults,
    violations,
    story: trace.lines,
    virtualMs: nowMs,
    events: trace.events,
  }
}

interface Play {
  readonly universe: Universe
  readonly scenario: Scenario
  readonly faults: readonly Fault[]
  readonly seed: number
  violate(rule: string, detail: string): void
}

async function play({ universe, scenario, faults, violate, seed }: Play): Promise<void> {
  const { loop } = universe
  const ledger = new Ledger()
  for (const message of scenario.messages) ledger.plan(message)
  const ending = createEnding(universe)
  const stage: Stage = {
    universe,
    scenario,
    ledger,
    store: createSharedStore(universe),
    violate,
    whenEnding: ending.wait,
    beginDeed: () => aim.deedBegins(loop.current),
    deadLetters: () => countReady(broker, deadLetterQueue),
    publishedDead: () => watch.publishedDead,
  }
  const nemesis = new SimProcess('nemesis')
  let healedMs = 0
  const aim = new Aim((fault, doer) => {
    const afterMs = fault.aim === 'deed' ? fault.choice ** 2 * longestAimMs : aimDelayOf(fault)
    healedMs = Math.max(healedMs, loop.nowMs + afterMs + fault.lastsMs)
    loop.after(afterMs, nemesis, fault.kind, () => strike(fault, arena, doer))
  })
  const broker = new SimBroker(universe, {
    profile: scenario.profile,
    seed,
    onMistake: (error) => violate('no-mistake-of-the-broker', describe(error)),
  })
  const flow = compileTopology(scenario.topology, { brokerVersion: broker.model.profile.version }).flows.find(
    ({ name }) => name === scenario.workQueue,
  )!
  const { deadLetterQueue } = flow
  const watch = new BrokerWatch(broker.model, {
    flow,
    nowMs: () => loop.nowMs,
    ownerOf: (channel) => broker.ownerOf(channel),
    speakerOf: (channel) => broker.speakerOf(channel),
    comes: (moment, writer) => aim.comes(moment, writer),
  })
  const evidence: Evidence = { scenario, ledger, broker, watch, universe, faults, flow, violate }
  await perform(universe, [createDeployer(stage)], { withinMs: 60_000, violate })

  const actors = castActors(stage, flow)
  const beganMs = loop.nowMs
  const { body } = await broker.ask(`queues/%2F/${scenario.workQueue}/bindings`)
  const bindings = JSON.parse(body) as readonly Binding[]
  const arena = { universe, broker, actors, scenario, watch, ledger, deadLetterQueue, bindings }
  for (const actor of actors) actor.start()
  const hasServers = actors.some(({ name }) => name.startsWith('admin'))
  for (const fault of faults) {
    loop.at(beganMs + fault.atMs, nemesis, fault.kind, () => {
      const isAimed = fault.aim === 'record' ? hasServers : fault.aim !== undefined
      if (isAimed) aim.wait(fault)
      else strike(fault, arena)
    })
  }
  healedMs = Math.max(beganMs, ...faults.map(({ atMs, lastsMs }) => beganMs + atMs + lastsMs))
  const workers = actors.filter(({ name }) => !/^(consumer|admin)/.test(name))
  const longestDrainMs = drainOf(scenario)
  const isOver = (): boolean =>
    loop.nowMs > healedMs &&
    workers.every(({ isDone }) => isDone) &&
    actors.every(({ name }) => !name.startsWith('admin') || ledger.idleServers.has(name)) &&
    isSettled(evidence)
  await waitUntil(universe, isOver, () => healedMs + longestDrainMs)
  if (!isOver()) {
    const waiting = workers.filter(({ isDone }) => !isDone).map(({ name }) => name)
    violate('nothing-hangs', `not over: ${waiting.join(', ') || 'no actor'}; ${describeQueues(evidence)}`)
  }
  checkNothingLost(evidence)
  checkAttempts(evidence)
  checkDuplicates(evidence)
  aim.end()
  await redriveTheRest(stage, evidence)

  ending.begin()
  await waitUntil(universe, () => actors.every(({ isDone }) => isDone), loop.nowMs + longestGoodbyeMs)
  for (const { name, isDone } of actors) if (!isDone) violate('nothing-hangs', `${name} does not close`)
  if (ledger.audited.length > 0)
    await perform(universe, [createAuditor(stage, 'auditor')], { withinMs: longestGoodbyeMs, violate })
  await waitUntil(universe, () => false, loop.nowMs + farewellMs)
  checkReceipts(evidence)
  checkLock(evidence)
  checkOrder(evidence)
  checkTasks(evidence)
  checkAudit(evidence)
  checkMetrics(evidence)
  checkLeaks(evidence, actors)
}

/** At once, so that what comes is the last that the broker hears, or after its answer is on its way. */
function aimDelayOf({ choice }: Fault): number {
  return choice < 0.5 ? 0 : (choice - 0.5) ** 2 * 80
}

function countReady({ model }: SimBroker, queue: string | undefined): number {
  const found = model.vhosts.get('/')!.queues.get(queue ?? '')
  return found?.counts().ready ?? 0
}

/** Each time that a message dies it may wait for all its delays. */
function drainOf({ longestDelayMs }: Scenario): number {
  return shortestDrainMs + 12 * longestDelayMs
}

/** The handlers are mended, and all dead letters go back: every message that anybody confirmed is handled then. */
async function redriveTheRest(stage: Stage, evidence: Evidence): Promise<void> {
  const { universe, ledger } = stage
  ledger.isMended = true
  const random = universe.random.fork('closer')
  const closer = createOperator(stage, 'closer', { deeds: ['redrive'], random })
  const longestMs = drainOf(stage.scenario)
  await perform(universe, [closer], { withinMs: longestMs, violate: stage.violate })
  await waitUntil(universe, () => isSettled(evidence), universe.loop.nowMs + longestMs)
  if (!isSettled(evidence))
    stage.violate('nothing-hangs', `after the last re-drive: ${describeQueues(evidence)}`)
  checkNothingLost(evidence)
}

/** The moment at which the actors go home; each hears of it in its own process. */
function createEnding({ loop }: Universe): { wait(): Promise<void>; begin(): void } {
  const waiting: (() => void)[] = []
  let hasBegun = false
  return {
    wait: () =>
      new Promise((resolve) => {
        const process = loop.current
        const wake = (): void => void loop.soon(process, 'ending', resolve)
        if (hasBegun) wake()
        else waiting.push(wake)
      }),
    begin: () => {
      hasBegun = true
      for (const wake of waiting) wake()
    },
  }
}

/** What an operator comes for: one deed, or some that follow each other. */
const errands: readonly (readonly Deed[])[] = [
  ['look'],
  ['redrive'],
  ['redrive'],
  ['redrive-by-exchange'],
  ['discard'],
  ['discard', 'restore'],
  ['discard', 'restore', 'restore'],
  ['back-up'],
  ['recover'],
  ['recover'],
]

const adminDeeds: readonly AdminDeed[] = [
  'start',
  'start',
  'start',
  'pause',
  'cancel',
  'go-on',
  'go-on',
  'read-audit',
]

function castActors(stage: Stage, flow: QueueFlow): readonly Actor[] {
  const { scenario, universe } = stage
  const { messages, publishers, consumers } = scenario
  const random = universe.random.fork('actors')
  const operators = random.chance(0.8) ? random.between(1, 2) : 0
  const servers = random.chance(0.35) ? 2 : 0
  return [
    ...Array.from({ length: publishers }, (_, index) =>
      createPublisher(stage, `publisher-${index + 1}`, {
        messages: messages.filter((_, at) => at % publishers === index),
        random: random.fork(`publisher-${index}`),
      }),
    ),
    ...consumers.map((_, index) =>
      createConsumer(stage, `consumer-${index + 1}`, index, random.fork(`consumer-${index}`)),
    ),
    ...Array.from({ length: operators }, (_, index) =>
      createOperator(stage, `operator-${index + 1}`, {
        deeds: Array.from({ length: random.between(1, 3) }, () => random.pick(errands)).flat(),
        random: random.fork(`operator-${index}`),
      }),
    ),
    ...Array.from({ length: servers }, (_, index) =>
      createAdminServer(stage, `admin-${index + 1}`, {
        flow,
        deeds: Array.from({ length: random.between(2, 5) }, () => random.pick(adminDeeds)),
        random: random.fork(`admin-${index}`),
      }),
    ),
  ]
}

async function perform(
  universe: Universe,
  actors: readonly Actor[],
  { withinMs, violate }: { withinMs: number; violate: (rule: string, detail: string) => void },
): Promise<void> {
  for (const actor of actors) actor.start()
  const endMs = universe.loop.nowMs + withinMs
  await waitUntil(universe, () => actors.every(({ isDone }) => isDone), endMs)
  for (const { name, isDone } of actors)
    if (!isDone) violate('nothing-hangs', `${name} does not come to an end`)
}

/** Lets time pass until it is so, and looks every now and then. */
async function waitUntil(
  universe: Universe,
  isSo: () => boolean,
  end: number | (() => number),
): Promise<void> {
  const { loop } = universe
  const endMs = typeof end === 'number' ? () => end : end
  let lookAtMs = loop.nowMs
  let isOver = false
  await loop.run(() => {
    if (loop.nowMs < lookAtMs) return false
    lookAtMs = loop.nowMs + 250
    isOver = loop.nowMs >= endMs() || isSo()
    return isOver
  })
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
