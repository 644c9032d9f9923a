import { ProtocolError } from '../../packages/warrenmq/src/embedded/model/protocol-error.ts'
import type { Actor } from '../actors/actors.ts'
import type { BrokerWatch } from '../actors/broker-watch.ts'
import type { Ledger } from '../actors/ledger.ts'
import { exchange, type Scenario } from '../actors/scenario.ts'
import type { SimBroker } from '../actors/sim-broker.ts'
import type { SimProcess } from '../world/sim-process.ts'
import type { Universe } from '../world/universe.ts'
import type { Fault } from './faults.ts'
import { forgeRecord } from './forge-record.ts'

/** What the nemesis can reach. */
export interface Arena {
  readonly universe: Universe
  readonly broker: SimBroker
  readonly actors: readonly Actor[]
  readonly scenario: Scenario
  readonly watch: BrokerWatch
  readonly ledger: Ledger
  readonly deadLetterQueue: string | undefined
  /** Those of the work queue, as they were before the first fault. */
  readonly bindings: readonly Binding[]
}

export interface Binding {
  readonly source: string
  readonly routing_key: string
  readonly arguments: object
}

/** Does it. What lasts ends by itself. A fault that is aimed hits `doer`, where it hits one process. */
export function strike(fault: Fault, arena: Arena, doer?: SimProcess): void {
  const { universe, broker, actors } = arena
  const { loop, network, http, files } = universe
  const { choice, lastsMs } = fault
  const inBroker = (run: () => void): void => void loop.soon(broker.process, fault.kind, run)
  const laterInBroker = (run: () => void): void => void loop.after(lastsMs, broker.process, 'heal', run)
  const forSoLong = `for ${(lastsMs / 1000).toFixed(2)} s`
  const pipe = pickOf([...network.pipes], choice, ({ client }) => client.process === doer)
  const actor = pickOf(
    actors.filter((each) => each.process?.isAlive && !each.isDone),
    choice,
    ({ process }) => process === doer,
  )
  const fill = (queue: string): void => {
    // A classic queue deletes what is above its limit, when it comes and when the broker starts. No client can help it.
    if (broker.model.vhosts.get('/')!.queues.get(queue)?.kind === 'classic') return
    universe.tell(`the queue "${queue}" takes only a few messages ${forSoLong}`)
    const limit = { path: `policies/%2F/full-${queue}`, queue }
    inBroker(() => void limitLength(arena, { ...limit, most: Math.floor(choice * 4) }))
    laterInBroker(() => void liftLimit(arena, limit))
  }
  switch (fault.kind) {
    case 'cut':
      if (!pipe) return
      universe.tell(`connection ${pipe.number} of ${pipe.client.process.name} is cut`)
      pipe.cut()
      return
    case 'black-hole':
      if (!pipe) return
      universe.tell(`connection ${pipe.number} of ${pipe.client.process.name} goes dead without a word`)
      pipe.blackHole()
      return
    case 'stall':
      if (!pipe) return
      universe.tell(`connection ${pipe.number} of ${pipe.client.process.name} stalls ${forSoLong}`)
      pipe.stall(loop.nowMs + lastsMs)
      return
    case 'kill':
      if (!actor) return
      universe.tell(`${actor.name} is killed, and started again after ${(lastsMs / 1000).toFixed(2)} s`)
      actor.process?.kill()
      loop.after(lastsMs, loop.current, 'restart', () => actor.start())
      return
    case 'pause':
      if (!actor?.process) return
      universe.tell(`${actor.name} stands still ${forSoLong}`)
      actor.process.pause(loop.nowMs + lastsMs)
      return
    case 'broker-crash':
      universe.tell(`the broker crashes, and is down ${forSoLong}`)
      inBroker(() => broker.crash())
      laterInBroker(() => broker.restart())
      return
    case 'broker-pause':
      universe.tell(`the broker stands still ${forSoLong}`)
      broker.process.pause(loop.nowMs + lastsMs)
      return
    case 'alarm':
      universe.tell(`the broker has an alarm ${forSoLong}`)
      inBroker(() => broker.faults.block())
      laterInBroker(() => broker.faults.unblock())
      return
    case 'refuse':
      universe.tell(`the broker takes no connections ${forSoLong}`)
      inBroker(() => broker.faults.refuseConnections())
      laterInBroker(() => broker.faults.acceptConnections())
      return
    case 'http-loss': {
      universe.tell(`the HTTP API loses half of its answers ${forSoLong}`)
      const endMs = loop.nowMs + lastsMs
      const random = universe.random.fork(`http ${fault.atMs}`)
      http.isLost = () => loop.nowMs < endMs && random.chance(0.5)
      return
    }
    case 'close-channels':
      universe.tell('the broker closes channels that consume')
      inBroker(() => closeChannels(broker))
      return
    case 'nack':
      // A nack of a queue that refuses when it is full says that it has not taken the message.
      if (refusesWhenFull(arena)) strike({ ...fault, kind: 'accident' }, arena, doer)
      else {
        universe.tell('the broker nacks some publishes')
        inBroker(() => broker.faults.changeConfirms({ kind: 'nack' }, { count: 1 + Math.floor(choice * 6) }))
      }
      return
    case 'accident':
      universe.tell('queues have accidents: they do not take every other publish, and it is nacked')
      inBroker(() => arena.watch.haveAccidents(1 + Math.floor(choice * 10)))
      return
    case 'late-confirm':
      universe.tell(`the broker confirms some publishes ${(lastsMs / 1000).toFixed(2)} s late`)
      inBroker(() =>
        broker.faults.changeConfirms(
          { kind: 'delay', delayMs: lastsMs },
          { count: 1 + Math.floor(choice * 6) },
        ),
      )
      return
    case 'clock-jump':
      if (!actor?.process) return
      universe.tell(`the wall clock of ${actor.name} jumps by ${Math.round((choice - 0.5) * 240)} s`)
      actor.process.clockOffsetMs += Math.round((choice - 0.5) * 240_000)
      return
    case 'unbind': {
      universe.tell(`somebody unbinds the work queue ${forSoLong}`)
      const between = `bindings/%2F/e/${exchange}/q/${arena.scenario.workQueue}`
      const key = arena.scenario.layout === 'event-bus' ? '' : 'order.*'
      inBroker(() => void broker.administer('DELETE', `${between}/${key === '' ? '~' : 'order.%2A'}`))
      laterInBroker(() => void broker.administer('POST', between, { routing_key: key }))
      return
    }
    case 'target-full':
      fill(arena.scenario.workQueue)
      return
    case 'forbid': {
      universe.tell(`nobody may write any more ${forSoLong}`)
      const all = { configure: '.*', write: '.*', read: '.*' }
      inBroker(() => void broker.administer('PUT', 'permissions/%2F/guest', { ...all, write: '^$' }))
      laterInBroker(() => void broker.administer('PUT', 'permissions/%2F/guest', all))
      return
    }
    case 'slow':
      if (!pipe) return
      universe.tell(`connection ${pipe.number} of ${pipe.client.process.name} crawls ${forSoLong}`)
      pipe.slow(loop.nowMs + lastsMs, 0.05 + choice * 2)
      return
    case 'dead-letters-full': {
      const queue = arena.deadLetterQueue
      if (queue === undefined) return
      fill(queue)
      return
    }
    case 'policy': {
      universe.tell('somebody changes the policy of all queues of the shop')
      const definition = choice < 0.5 ? { 'max-length': 100_000 } : { 'max-length-bytes': 1_000_000_000 }
      const policy = { pattern: '^(shop|freeflow)', definition, 'apply-to': 'queues', priority: 1 }
      inBroker(() => void broker.administer('PUT', 'policies/%2F/shop', policy))
      return
    }
    case 'forge':
      inBroker(() => forgeRecord(fault, arena))
      return
    case 'delete-queue':
      inBroker(() => void deleteQueue(fault, arena))
      return
    case 'disk-full':
      universe.tell(`the disk is full ${forSoLong}`)
      files.roomBytes = Math.floor(choice * 4000)
      loop.after(lastsMs, loop.current, 'heal', () => {
        files.roomBytes = undefined
      })
      return
  }
}

interface Limit {
  /** Of the policy. */
  readonly path: string
  readonly queue: string
}

function limitLength({ broker }: Arena, { path, queue, most }: Limit & { most: number }): Promise<void> {
  return broker.administer('PUT', path, refusal(queue, most))
}

/**
 * In two steps: on 3.10 whoever a quorum queue has turned away does not hear that a policy is gone. Dead letters of
 * another queue would wait until the broker is started again.
 */
async function liftLimit({ broker }: Arena, { path, queue }: Limit): Promise<void> {
  await broker.administer('PUT', path, refusal(queue, 100_000))
  await broker.administer('DELETE', path)
}

function refusal(queue: string, most: number): object {
  const definition = { overflow: 'reject-publish', 'max-length': most }
  return { pattern: `^${queue}$`, 'apply-to': 'queues', priority: 9, definition }
}

function refusesWhenFull({ broker, scenario }: Arena): boolean {
  const queue = broker.model.vhosts.get('/')!.queues.get(scenario.workQueue)
  return queue?.arguments.some(({ name }) => name === 'x-overflow') ?? true
}

/** Deletes the work queue with all that is in it, and declares it again a while later, with one more argument. */
async function deleteQueue({ lastsMs, choice }: Fault, arena: Arena): Promise<void> {
  const { universe, broker, scenario, watch, ledger } = arena
  const { workQueue } = scenario
  if (!broker.isListening) return
  const path = `queues/%2F/${workQueue}`
  const { status, body } = await broker.ask(path)
  if (status !== 200) return // it is deleted already
  const found = JSON.parse(body) as { durable: boolean; arguments: Record<string, unknown> }
  const held = watch.held(workQueue)
  for (const id of held) ledger.deleted.add(id)
  universe.tell(`somebody deletes the work queue, with ${held.length} messages`)
  await broker.administer('DELETE', path)
  universe.loop.after(lastsMs, broker.process, 'heal', () => {
    universe.tell('the work queue is declared again')
    const more = { 'x-max-length-bytes': 900_000_000 + Math.floor(choice * 1000) }
    const declared = { durable: found.durable, arguments: { ...found.arguments, ...more } }
    void broker.administer('PUT', path, declared)
    // Also one that somebody has taken away, who finds no queue when they want to give it back.
    for (const { source, routing_key, arguments: args } of arena.bindings) {
      if (source === '') continue
      void broker.administer('POST', `bindings/%2F/e/${source}/q/${workQueue}`, {
        routing_key,
        arguments: args,
      })
    }
  })
}

function closeChannels(broker: SimBroker): void {
  for (const { channels } of broker.connections) {
    for (const channel of channels.values()) {
      if (channel.model.consumers.size === 0) continue
      const error = new ProtocolError('PRECONDITION_FAILED', 'closed by a fault')
      broker.model.inbox.run(() => channel.refuse(error, undefined))
    }
  }
}

/** One of those that are meant; of all, if none is. */
function pickOf<Value>(
  values: readonly Value[],
  choice: number,
  isMeant: (value: Value) => boolean,
): Value | undefined {
  const meant = values.filter(isMeant)
  const some = meant.length > 0 ? meant : values
  return some[Math.floor(choice * some.length)]
}
