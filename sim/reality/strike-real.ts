import type { Fault } from '../nemesis/faults.ts'
import { exchange } from '../actors/scenario.ts'
import type { ClientProcess } from './client-process.ts'
import type { MortalNode } from './mortal-node.ts'
import type { Stage } from './stage.ts'
import type { Tally } from './tally.ts'
import type { Pipe } from './weather-relay.ts'

/** What the nemesis can reach. */
export interface RealArena {
  readonly stage: Stage
  readonly broker: MortalNode
  readonly clients: readonly ClientProcess[]
  readonly tally: Tally
}

/** Does it, if there is something to do it to. A cut is counted when it happens. */
export function strikeReal(fault: Fault, arena: RealArena): void {
  const { stage, broker, clients, tally } = arena
  const { kind, choice, lastsMs } = fault
  const count = (isDone: boolean): void => {
    if (isDone) tally.count(kind)
  }
  const pipe = pickPipe(fault, stage)
  const client = clients[Math.floor(choice * clients.length)]
  switch (kind) {
    case 'cut':
      if (pipe) cut(pipe, fault)
      return
    case 'black-hole':
      pipe?.blackHole()
      return count(pipe !== undefined)
    case 'stall':
      pipe?.stall(lastsMs)
      return count(pipe !== undefined)
    case 'slow':
      pipe?.slow(lastsMs)
      return count(pipe !== undefined)
    case 'kill':
      return count(client?.kill() ?? false)
    case 'pause':
      if (!client?.standStill()) return
      setTimeout(() => client.goOn(), lastsMs)
      return count(true)
    case 'broker-crash':
      return count(broker.crash(lastsMs))
    case 'broker-pause':
      return count(broker.pause(lastsMs))
    case 'alarm':
      return count(broker.alarm(lastsMs))
    case 'refuse':
      for (const relay of stage.relays.values()) relay.refuse(lastsMs)
      return count(true)
    case 'http-loss':
      stage.httpRelay.lose(0.5, lastsMs)
      return count(true)
    default:
      void administer(fault, arena)
  }
}

/** At once, or at some byte that is still to come. */
function cut(pipe: Pipe, { choice, nth }: Fault): void {
  const share = (choice * 7) % 1
  if (share < 0.3) pipe.cut()
  else pipe.cutAfter(share < 0.65 ? 'to-broker' : 'to-client', Math.ceil(nth * share * 40))
}

function pickPipe({ choice }: Fault, { relays, aimedPipe }: Stage): Pipe | undefined {
  if (aimedPipe) return aimedPipe
  const pipes = [...relays.values()].flatMap((relay) => [...relay.pipes])
  return pipes[Math.floor(choice * pipes.length)]
}

/** Faults by the HTTP API. The broker may be away just now; then nothing is done. */
async function administer(fault: Fault, { stage, broker, tally }: RealArena): Promise<void> {
  const { kind, lastsMs } = fault
  if (!broker.isUp || stage.heal.has(kind)) return
  const change = changeOf(fault, stage)
  if (!change) return
  stage.heal.set(kind, change.undo)
  try {
    await change.make()
    tally.count(kind)
  } catch {
    // The node has died under it. What it has done all the same is undone.
  }
  setTimeout(() => void healOne(stage, kind), lastsMs)
}

export async function healOne(stage: Stage, kind: string): Promise<boolean> {
  const undo = stage.heal.get(kind)
  if (!undo) return true
  try {
    await undo()
    stage.heal.delete(kind)
    return true
  } catch {
    return false // the node is away; it is tried again when the storm is over
  }
}

interface Change {
  make(): Promise<unknown>
  undo(): Promise<unknown>
}

function changeOf({ kind, choice }: Fault, stage: Stage): Change | undefined {
  const { plan, flow, vhost, management } = stage
  const { layout } = plan.scenario
  const { queue: workQueue } = flow
  const home = encodeURIComponent(vhost)
  const rule = (name: string, policy: object): Change => ({
    make: () => management('PUT', `/api/policies/${home}/${name}`, { 'apply-to': 'queues', ...policy }),
    undo: () => remove(stage, `/api/policies/${home}/${name}`),
  })
  const full = { 'max-length': Math.floor(choice * 4), overflow: 'reject-publish' }
  switch (kind) {
    case 'unbind': {
      const between = `/api/bindings/${home}/e/${exchange}/q/${workQueue}`
      const key = layout === 'event-bus' ? '' : 'order.*'
      return {
        make: async () => {
          const found = await management<{ properties_key: string }[]>('GET', between)
          for (const { properties_key } of found)
            await management('DELETE', `${between}/${encodeURIComponent(properties_key)}`)
        },
        undo: () => management('POST', between, { routing_key: key, arguments: {} }),
      }
    }
    case 'forbid': {
      const path = `/api/permissions/${home}/${stage.user}`
      const all = { configure: '.*', write: '.*', read: '.*' }
      return {
        make: () => management('PUT', path, { ...all, write: '^$' }),
        undo: () => management('PUT', path, all),
      }
    }
    case 'target-full':
      return rule('full', { pattern: `^${workQueue}$`, definition: full, priority: 9 })
    case 'dead-letters-full':
      if (flow.deadLetterQueue === undefined) return undefined
      return rule('dead-full', { pattern: `^${flow.deadLetterQueue}$`, definition: full, priority: 8 })
    case 'policy': {
      const definition = choice < 0.5 ? { 'max-length': 100_000 } : { 'max-length-bytes': 1_000_000_000 }
      return rule('shop', { pattern: '^(shop|freeflow)', definition, priority: 1 })
    }
    default:
      return undefined
  }
}

async function remove({ management }: Stage, path: string): Promise<void> {
  try {
    await management('DELETE', path)
  } catch (error) {
    if (!String(error).includes('answered 404')) throw error
  }
}
