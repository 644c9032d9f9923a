import type { Fault } from '../nemesis/faults.ts'
import { changeOf } from './change-rules.ts'
import type { ClientProcess } from './client-process.ts'
import type { MortalBroker } from './mortal-broker.ts'
import type { Stage } from './stage.ts'
import type { Tally } from './tally.ts'
import type { WeatherPipe } from './weather-pipe.ts'

/** What the nemesis can reach. */
export interface RealArena {
  readonly stage: Stage
  readonly broker: MortalBroker
  readonly clients: readonly ClientProcess[]
  readonly tally: Tally
}

/** Does it, if there is something to do it to, and counts it. A cut is counted when it happens. */
export function strikeReal(fault: Fault, arena: RealArena): void {
  if (fault.kind === 'cut') cut(fault, arena.stage)
  else if (strikesPipe(fault, arena) || strikesProcess(fault, arena) || strikesBroker(fault, arena))
    arena.tally.count(fault.kind)
  else void administer(fault, arena)
}

/** At once, or at some byte that is still to come. */
function cut(fault: Fault, stage: Stage): void {
  const share = (fault.choice * 7) % 1
  const pipe = pickPipe(fault, stage)
  if (share < 0.3) pipe?.cut()
  else pipe?.cutAfter(share < 0.65 ? 'to-broker' : 'to-client', Math.ceil(fault.nth * share * 40))
}

/** Gives whether it was such a fault, and hit something. */
function strikesPipe(fault: Fault, { stage }: RealArena): boolean {
  const { kind, lastsMs } = fault
  const pipe = pickPipe(fault, stage)
  if (kind === 'refuse') for (const relay of stage.relays.values()) relay.refuse(lastsMs)
  if (kind === 'http-loss') stage.httpRelay.lose(0.5, lastsMs)
  if (kind === 'black-hole') pipe?.blackHole()
  if (kind === 'stall') pipe?.stall(lastsMs)
  if (kind === 'slow') pipe?.slow(lastsMs)
  const hitsPipe = kind === 'black-hole' || kind === 'stall' || kind === 'slow'
  return kind === 'refuse' || kind === 'http-loss' || (hitsPipe && pipe !== undefined)
}

function pickPipe({ choice }: Fault, { relays, aimedPipe }: Stage): WeatherPipe | undefined {
  if (aimedPipe) return aimedPipe
  const pipes = [...relays.values()].flatMap((relay) => [...relay.pipes])
  return pipes[Math.floor(choice * pipes.length)]
}

function strikesProcess({ kind, choice, lastsMs }: Fault, { clients }: RealArena): boolean {
  const client = clients[Math.floor(choice * clients.length)]
  if (kind === 'kill') return client?.kill() ?? false
  if (kind !== 'pause' || !client?.standStill()) return false
  setTimeout(() => client.goOn(), lastsMs)
  return true
}

function strikesBroker({ kind, choice, lastsMs }: Fault, { stage, broker, tally }: RealArena): boolean {
  switch (kind) {
    case 'broker-crash':
      return broker.crash(lastsMs, { vhost: stage.vhost, name: stage.flow.queue })
    case 'broker-pause':
      // A cluster is divided as often as one of its nodes stands still.
      if (choice < 0.5 && broker.partition(lastsMs + shortestPartitionMs)) tally.count('partition')
      return broker.pause(lastsMs)
    case 'alarm':
      return broker.alarm(lastsMs)
    default:
      return false
  }
}

/** The others are to notice. */
const shortestPartitionMs = 1_000

/** Faults by the HTTP API. The broker may be away just now; then nothing is done. */
async function administer(
  { kind, choice, lastsMs }: Fault,
  { stage, broker, tally }: RealArena,
): Promise<void> {
  if (!broker.isUp || stage.heal.has(kind)) return
  const change = changeOf({ kind, choice }, stage)
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
