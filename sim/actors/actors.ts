import { WarrenError } from '../../packages/warrenmq/src/errors.ts'
import {
  connect,
  createConsumerMetrics,
  dedupe,
  reject,
  type Warren,
} from '../../packages/warrenmq/src/index.ts'
import { sleep } from '../../packages/warrenmq/src/world.ts'
import type { Random } from '../world/random.ts'
import { SimProcess } from '../world/sim-process.ts'
import type { Universe } from '../world/universe.ts'
import type { HandlerRun, Ledger, PlannedMessage } from './ledger.ts'
import { archive, exchange, knownType, type Scenario } from './scenario.ts'
import type { SharedStore } from './shared-store.ts'
import { amqpPort, brokerHost, managementPort } from './sim-broker.ts'

/** What every actor knows. */
export interface Stage {
  readonly universe: Universe
  readonly scenario: Scenario
  readonly ledger: Ledger
  readonly store: SharedStore
  /** Resolves, in the process that waits, when the actors are to go home. */
  whenEnding(): Promise<void>
  violate(rule: string, detail: string): void
  /** Somebody begins to move dead letters: that is when it is most worth to strike. */
  beginDeed(): void
  /** How many dead letters are ready, as an alert would tell. */
  deadLetters(): number
  /** How many messages were published into the dead-letter queue so far. */
  publishedDead(): number
}

/** Who plays, in a process that is started again when it is killed. */
export interface Actor {
  readonly name: string
  /** It has done all that it came for. */
  isDone: boolean
  /** Timers that would keep its process alive although it is done. */
  timersLeft: number
  process: SimProcess | undefined
  /** Starts it, or starts it again. */
  start(): void
}

/** Keeps a process running, as an orchestrator does: what fails is started again after a pause. */
export function createActor(stage: Stage, name: string, play: () => Promise<void>): Actor {
  const { universe } = stage
  const actor: Actor = {
    name,
    isDone: false,
    timersLeft: 0,
    process: undefined,
    start: () => {
      actor.process = universe.start(name, async () => {
        try {
          await play()
          actor.isDone = true
          actor.timersLeft = universe.timers.keepAlive(universe.loop.current)
        } catch (error) {
          if (!(error instanceof WarrenError)) throw error
          universe.tell(`${name} gives up with ${error.code} and is started again`)
          await sleep(1000)
          actor.process?.kill()
          actor.start()
        }
      })
    },
  }
  return actor
}

export function openWarren(stage: Stage): Promise<Warren<string>> {
  const { topology, heartbeatSeconds } = stage.scenario
  return connect(`amqp://guest:guest@${brokerHost}:${amqpPort}`, {
    topology,
    managementUrl: `http://guest:guest@${brokerHost}:${managementPort}`,
    heartbeatSeconds,
    waitForBroker: '2m',
    replyTimeout: '20s',
  })
}

export function createDeployer(stage: Stage): Actor {
  return createActor(stage, 'deployer', async () => {
    const warren = await openWarren(stage)
    await warren.apply()
    await warren.close()
  })
}

/** Publishes its messages. What was not answered it may publish again, as a careful program does. */
export function createPublisher(
  stage: Stage,
  name: string,
  { messages, random }: { messages: readonly PlannedMessage[]; random: Random },
): Actor {
  const { ledger, scenario } = stage
  const left = [...messages]
  return createActor(stage, name, async () => {
    const warren = await openWarren(stage)
    const publisher = warren.publisher()
    const one = async (): Promise<void> => {
      for (let message = left.shift(); message; message = left.shift()) {
        await publishOne(message)
        await sleep(random.between(0, scenario.publishPauseMs))
      }
    }
    const publishOne = async (message: PlannedMessage): Promise<void> => {
      const account = ledger.account(message.id)
      account.sent += 1
      const { kind } = await publisher.publish({
        ...(message.to === 'work' ? { exchange, key: 'order.placed' } : { key: archive }),
        messageId: message.id,
        type: 'order',
        headers: headersOf(message),
        ...(message.isBroken
          ? { body: Buffer.from('{broken'), contentType: 'application/json' }
          : { body: { id: message.id, customer: customerOf(message) } }),
      })
      stage.universe.loop.trace.add(`${message.id} ${kind}`)
      if (kind === 'confirmed') account.confirmed += 1
      else if (kind === 'returned') account.refused += 1
      if (kind !== 'confirmed') {
        await sleep(random.between(100, 2000))
        await publishOne(message)
      }
    }
    await Promise.all(Array.from({ length: scenario.publisherWindow }, one))
    await warren.close()
  })
}

/** What nobody should have to write, and nothing may stumble over. */
const nonsense = {
  'x-death': 'yesterday',
  'x-first-death-queue': [1, { two: 'three' }],
  'x-retry-count': 'often',
  'warren-attempts': 'all of them',
  'warren-deaths-seen': null,
  'warren-deliveries': { none: true },
  'x-redriven-id': 7,
}

export function headersOf({ isOfKnownType, isHostile }: PlannedMessage) {
  const type = { MessageType: isOfKnownType ? knownType : 'OrderShipped' }
  return isHostile ? { ...nonsense, ...type } : type
}

/** Each of a few customers has many messages. */
export function customerOf({ id }: Pick<PlannedMessage, 'id'>): number {
  return Number(id.slice(1)) % 3
}

/** Handles messages as their plan says, until the world ends. */
export function createConsumer(stage: Stage, name: string, index: number, random: Random): Actor {
  const { ledger, scenario, universe } = stage
  const actor = createActor(stage, name, async () => {
    const warren = await openWarren(stage)
    const { concurrency, prefetch } = scenario.consumers[index]!
    const metrics = createConsumerMetrics()
    const runs: HandlerRun[] = []
    const consumer = await warren.consume(
      scenario.workQueue,
      async (message, { attempt }) => {
        const { id } = message.body as { id: string }
        const account = ledger.account(id)
        const run: HandlerRun = {
          attempt,
          process: name,
          startedAtMs: universe.loop.nowMs,
          endedAtMs: undefined,
          result: undefined,
        }
        account.runs.push(run)
        runs.push(run)
        if (message.id !== id) stage.violate('identity', `${id} arrives as ${message.id}`)
        await sleep(random.between(1, scenario.workMs))
        const step = ledger.isMended
          ? 'succeed'
          : account.plan.steps[Math.min(attempt, account.plan.steps.length) - 1]!
        if (step !== 'die') {
          run.result = step
          run.endedAtMs = universe.loop.nowMs
        }
        universe.loop.trace.add(`${name} ${id} ${attempt} ${step}`)
        if (step === 'die') return dieOf(stage, actor, id)
        if (step === 'throw') throw new Error('the gateway is away')
        if (step === 'reject') return reject('not an order')
        return undefined
      },
      {
        concurrency,
        prefetch,
        poisonLimit: scenario.poisonLimit,
        // Longer than any fault lasts, so that nobody works on a message of somebody who is only slow.
        ...(scenario.isDeduped && { middleware: [dedupe(stage.store, { lease: '10m' })] }),
        ...(scenario.isOrdered && {
          orderBy: ({ body }: { body: unknown }) => (body as { customer?: number } | undefined)?.customer,
        }),
      },
    )
    metrics.observe(consumer)
    await stage.whenEnding()
    await consumer.close()
    ledger.metrics.push({ process: name, text: metrics.render(), runs, skipped: stage.store.skippedBy(name) })
    await warren.close()
  })
  return actor
}

const restartMs = 1000

/** A message ends the process of its handler. An orchestrator starts that again. */
function dieOf({ universe }: Stage, actor: Actor, id: string): Promise<never> {
  universe.tell(`${id} ends ${actor.name}`)
  actor.process?.kill()
  universe.loop.after(restartMs, new SimProcess('orchestrator'), 'restart', () => actor.start())
  return new Promise(() => {})
}
