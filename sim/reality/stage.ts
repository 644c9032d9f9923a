import { join } from 'node:path'
import type { ProfileName } from '../../packages/warrenmq/src/embedded/model/profile.ts'
import { compileTopology } from '../../packages/warrenmq/src/topology/compile-topology.ts'
import type { QueueFlow } from '../../packages/warrenmq/src/topology/queue-flow.ts'
import { callManagement } from '../../test/support/call-management.ts'
import { createVhostOn, type OwnVhost } from '../../test/support/create-vhost-on.ts'
import { eventually } from '../../test/support/eventually.ts'
import type { Scenario } from '../actors/scenario.ts'
import { Aim } from '../nemesis/aim.ts'
import type { Fault } from '../nemesis/faults.ts'
import type { ClientWorld } from './client-task.ts'
import { type MortalBroker, patiently } from './mortal-broker.ts'
import { mostPublishes, planWorld, stillQueue, type WorldPlan } from './plan-world.ts'
import type { WeatherPipe } from './weather-pipe.ts'
import { startWeatherRelay, type WeatherRelay } from './weather-relay.ts'

/** One world on a real broker: its vhost, and the ports through which each actor reaches it. */
export interface Stage {
  readonly plan: WorldPlan
  readonly vhost: string
  readonly user: string
  readonly flow: QueueFlow
  readonly aim: Aim
  /** By actor. */
  readonly relays: ReadonlyMap<string, WeatherRelay>
  readonly httpRelay: WeatherRelay
  /** The world, as this actor reaches it. */
  worldOf(actor: string): ClientWorld
  /** The connection on which an aimed fault has found its moment. */
  aimedPipe: WeatherPipe | undefined
  /** To be done when the faults are over, and until it succeeds. */
  readonly heal: Map<string, () => Promise<unknown>>
  management<Answer = unknown>(
    method: 'GET' | 'PUT' | 'POST' | 'DELETE',
    path: string,
    body?: unknown,
  ): Promise<Answer>
  /** Asks until there is an answer: a node that has just come back may say 500. */
  read<Answer>(path: string): Promise<Answer>
  end(): Promise<void>
}

export interface StageOptions {
  readonly broker: MortalBroker
  readonly profile: ProfileName
  readonly seed: number
  readonly actors: readonly string[]
  readonly onStrike: (fault: Fault, stage: Stage) => void
  readonly onCut: () => void
}

export async function openStage(options: StageOptions): Promise<Stage> {
  const { broker, profile, seed, actors, onStrike, onCut } = options
  const plan = planWorld(seed, profile)
  const { scenario, random } = plan
  const own: OwnVhost = await eventually(() => createVhostOn(broker.access, `reality-${seed}`))
  const chance = random.fork('relays').next
  const flow = compileTopology(scenario.topology, { brokerVersion: broker.version }).flows.find(
    ({ name }) => name === scenario.workQueue,
  )!
  const aim = new Aim((fault) => onStrike(fault, stage))
  const looks = { chance, onCut, target: () => broker.entrance().amqpPort }
  const relays = new Map<string, WeatherRelay>()
  for (const actor of actors) {
    const onFrame = actor.startsWith('operator') ? watchFrames(() => stage) : undefined
    const mostInHand = mostInHandOf(actor, scenario)
    relays.set(actor, await startWeatherRelay({ ...looks, mostInHand, ...(onFrame && { onFrame }) }))
  }
  const httpRelay = await startWeatherRelay({
    ...looks,
    target: () => broker.entrance().managementPort,
    onCut: () => {},
  })
  const login = `${broker.username}:${broker.password}`
  const stage: Stage = {
    plan,
    vhost: own.vhost,
    user: broker.username,
    flow,
    aim,
    relays,
    httpRelay,
    aimedPipe: undefined,
    heal: new Map(),
    worldOf: (actor) => ({
      seed,
      profile,
      url: `amqp://${login}@127.0.0.1:${relays.get(actor)!.port}/${encodeURIComponent(own.vhost)}`,
      managementUrl: `http://${login}@127.0.0.1:${httpRelay.port}`,
    }),
    management: (method, path, body) => callManagement(broker.access, method, path, body),
    read: <Answer>(path: string) =>
      eventually<Answer>(() => stage.management<Answer>('GET', path), patiently),
    async end() {
      for (const relay of [...relays.values(), httpRelay]) relay.close()
      await eventually(() => stage.management('DELETE', `/api/vhosts/${encodeURIComponent(own.vhost)}`))
    },
  }
  const path = `/api/queues/${encodeURIComponent(own.vhost)}/${stillQueue}`
  await stage.management('PUT', path, { durable: true, arguments: { 'x-queue-type': 'quorum' } })
  return stage
}

/** What a connection of an actor that is lost may double. */
function mostInHandOf(actor: string, { consumers, redriveWindow }: Scenario): number {
  const number = Number(actor.split('-')[1])
  if (actor.startsWith('consumer')) return consumers[number - 1]?.prefetch ?? 0
  if (actor.startsWith('operator')) return redriveWindow
  return mostPublishes
}

/** Publishes of an operator are copies, and its acks take dead letters away. */
function watchFrames(stageOf: () => Stage) {
  return (
    frame: { classId: number | undefined; methodId: number | undefined },
    way: string,
    pipe: WeatherPipe,
  ) => {
    if (way !== 'to-broker' || frame.classId !== 60) return
    const moment = frame.methodId === 40 ? 'copy' : frame.methodId === 80 ? 'ack' : undefined
    if (!moment) return
    const stage = stageOf()
    stage.aimedPipe = pipe
    stage.aim.comes(moment)
    stage.aimedPipe = undefined
  }
}

/** Where an actor writes down what it does. */
export function journalOf(folder: string, actor: string): string {
  return join(folder, `${actor}.journal`)
}
