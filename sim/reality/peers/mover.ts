import { join } from 'node:path'
import amqp from 'amqplib'
import { callManagement } from '../../../test/support/call-management.ts'
import { createVhostOn } from '../../../test/support/create-vhost-on.ts'
import { eventually } from '../../../test/support/eventually.ts'
import type { RabbitNode } from '../../../test/support/start-rabbit-node.ts'
import type { Fault } from '../../nemesis/faults.ts'
import { createRandom } from '../../world/random.ts'
import type { Campaign } from '../campaign.ts'
import { type ClientProcess, startClient } from '../client-process.ts'
import { drainQueues } from '../drain-queues.ts'
import { Tally } from '../tally.ts'
import { turnsTrue } from '../turns-true.ts'
import { startWeatherRelay, type WeatherRelay } from '../weather-relay.ts'
import { type Feeder, startFeeder } from './feeder.ts'
import type { Participant, PeerTask } from './participants.ts'

/** One participant with its own vhost, its own messages and its own port. */
export interface Mover {
  readonly tally: Tally
  begin(): Promise<void>
  /** Gives whether there was something to hit; a cut counts itself. */
  suffer(fault: Fault): boolean
  /** The faults are over: waits until everything is moved, and counts. */
  finish(): Promise<MoverEnd>
  destroy(): void
}

/** What became of its messages. */
export interface MoverEnd
  extends Pick<
    Campaign,
    | 'faults'
    | 'cutsAndPauses'
    | 'nodeKills'
    | 'published'
    | 'confirmed'
    | 'lost'
    | 'recovered'
    | 'unexpected'
    | 'duplicated'
  > {
  /** So many were still in the source a minute after the faults. */
  readonly left: number
  /** 1 if any were. */
  readonly stuck: number
}

const source = 'source'
const target = 'target'
const longestCalmMs = 60_000

export async function openMover(
  participant: Participant,
  { node, seed, warrenScript }: { node: RabbitNode; seed: number; warrenScript: string },
): Promise<Mover> {
  const tally = new Tally()
  const { vhost, url } = await createVhostOn(node, `peer-${seed}`)
  const home = encodeURIComponent(vhost)
  const relay = await startWeatherRelay({
    target: () => node.amqpPort,
    chance: createRandom(seed).fork('relay').next,
    onCut: () => tally.count('cut'),
  })
  for (const queue of [source, target])
    await callManagement(node, 'PUT', `/api/queues/${home}/${queue}`, {
      durable: true,
      arguments: { 'x-queue-type': 'quorum', ...withoutLimit(node.version) },
    })
  const login = `${node.username}:${node.password}`
  const task: PeerTask = {
    vhost,
    source,
    target,
    prefetch: 100,
    republishes: participant.republishes ?? false,
    url: `amqp://${login}@127.0.0.1:${relay.port}/${home}`,
    managementUrl: `http://${login}@127.0.0.1:${node.managementPort}`,
  }
  let client: ClientProcess | undefined
  let feeder: Feeder | undefined
  return {
    tally,
    begin: async () => {
      feeder = startFeeder(() => url, source)
      await participant.begin?.(node, task)
      const { script } = participant
      if (script === undefined) return
      const file = script === 'warren.mjs' ? warrenScript : join(import.meta.dirname, script)
      client = startClient(file, task, { isQuiet: true })
    },
    suffer: (fault) => suffer(fault, { relay, client, node, home }),
    finish: async () => {
      await feeder!.end()
      client?.goOn()
      await removeRule(node, home)
      await turnsTrue(() => isEmpty(url), longestCalmMs)
      client?.destroy()
      const found = await drainQueues(url, [source, target])
      const { faults, cutsAndPauses, nodeKills } = tally
      return { faults, cutsAndPauses, nodeKills, ...count(feeder!, found) }
    },
    destroy: () => {
      client?.destroy()
      relay.close()
    },
  }
}

/** From 4.0 on a quorum queue deletes what came back too often, which would not be the participant's fault. */
function withoutLimit(version: string): object {
  return version.startsWith('3.') ? {} : { 'x-delivery-limit': -1 }
}

function suffer(
  { kind, choice, nth, lastsMs }: Fault,
  place: { relay: WeatherRelay; client: ClientProcess | undefined; node: RabbitNode; home: string },
): boolean {
  const { relay, client, node, home } = place
  const pipes = [...relay.pipes]
  const pipe = pipes[Math.floor(choice * pipes.length)]
  const share = (choice * 7) % 1
  switch (kind) {
    case 'cut':
      if (share < 0.3) pipe?.cut()
      else pipe?.cutAfter(share < 0.65 ? 'to-broker' : 'to-client', Math.ceil(nth * share * 40))
      return false
    case 'black-hole':
      pipe?.blackHole()
      return pipe !== undefined
    case 'stall':
      pipe?.stall(lastsMs)
      return pipe !== undefined
    case 'slow':
      pipe?.slow(lastsMs)
      return pipe !== undefined
    case 'refuse':
      relay.refuse(lastsMs)
      return true
    case 'kill':
      return client?.kill() ?? false
    case 'pause':
      if (!client?.standStill()) return false
      setTimeout(() => client.goOn(), lastsMs)
      return true
    case 'target-full':
      void addRule(node, home, Math.floor(choice * 4)).catch(() => undefined)
      setTimeout(() => void removeRule(node, home).catch(() => undefined), lastsMs)
      return true
    default:
      return false
  }
}

const ruleOf = (home: string): string => `/api/policies/${home}/full`

function addRule(node: RabbitNode, home: string, most: number): Promise<unknown> {
  const definition = { 'max-length': most, overflow: 'reject-publish' }
  return callManagement(node, 'PUT', ruleOf(home), {
    pattern: `^${target}$`,
    definition,
    'apply-to': 'queues',
  })
}

async function removeRule(node: RabbitNode, home: string): Promise<void> {
  await eventually(async () => {
    await callManagement(node, 'DELETE', ruleOf(home)).catch((error: unknown) => {
      if (!String(error).includes('answered 404')) throw error
    })
  })
}

async function isEmpty(url: string): Promise<boolean> {
  const connection = await amqp.connect(url)
  const channel = await connection.createChannel()
  const { messageCount } = await channel.checkQueue(source)
  await connection.close()
  return messageCount === 0
}

function count(
  { sent, confirmed }: Feeder,
  found: readonly { readonly id: string | undefined; readonly queue: string }[],
): Omit<MoverEnd, 'faults' | 'cutsAndPauses' | 'nodeKills'> {
  const ids = new Set(found.map(({ id }) => id))
  const left = found.filter(({ queue }) => queue === source).length
  return {
    left,
    stuck: left > 0 ? 1 : 0,
    published: sent.size,
    confirmed: confirmed.size,
    lost: [...confirmed].filter((id) => !ids.has(id)).length,
    recovered: [...sent].filter((id) => !confirmed.has(id) && ids.has(id)).length,
    unexpected: [...ids].filter((id) => id === undefined || !sent.has(id)).length,
    duplicated: found.length - ids.size,
  }
}
