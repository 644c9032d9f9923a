import type { Reconnection } from '../../packages/warrenmq/src/recovery/redrive/crash-state.ts'
import { nextRedriveState } from '../../packages/warrenmq/src/recovery/redrive/next-redrive-state.ts'
import type { RedriveCommand } from '../../packages/warrenmq/src/recovery/redrive/redrive-command.ts'
import type {
  RedriveDecision,
  RedriveEvent,
} from '../../packages/warrenmq/src/recovery/redrive/redrive-event.ts'
import { readNumbers } from '../../packages/warrenmq/src/recovery/redrive/redrive-numbers.ts'
import {
  type RedriveState,
  startRedriveState,
} from '../../packages/warrenmq/src/recovery/redrive/redrive-state.ts'

/** A message as the world knows it: the state machine is handed it and cannot look inside. */
export interface WorldMessage {
  readonly bytes: number
  readonly token: number
  readonly step: RedriveDecision
}

export type WorldState = RedriveState<WorldMessage>
export type WorldEvent = RedriveEvent<WorldMessage>
export type Transition = typeof nextRedriveState<WorldMessage>

/** What may go wrong in a world, each so often. */
export interface Faults {
  readonly lostConsuming: number
  readonly lostPublishing: number
  /** The broker goes, and both connections with it. */
  readonly lostBoth: number
  /** The broker dies, and may forget acks that it had answered for. */
  readonly crashes: number
  /** A node dies with the connection on it, and the queue keeps what was in hand for a while. */
  readonly lostNodes: number
  readonly returned: number
  readonly nacked: number
  readonly unanswered: number
  readonly arrivals: number
  readonly cancels: number
  readonly pauses: number
}

export const noFaults: Faults = {
  lostConsuming: 0,
  lostPublishing: 0,
  lostBoth: 0,
  crashes: 0,
  lostNodes: 0,
  returned: 0,
  nacked: 0,
  unanswered: 0,
  arrivals: 0,
  cancels: 0,
  pauses: 0,
}

export interface WorldRules {
  readonly messages: number
  readonly window: number
  readonly faults: Faults
  /** Messages that the filter does not select. */
  readonly kept?: readonly number[]
  readonly limit?: number
  /** How many the broker may send ahead. @default 3 */
  readonly prefetch?: number
  readonly next?: Transition
}

type Publish = { readonly token: number; readonly isStored: boolean }
/** What the shell was told to do and has not finished. */
type Errand = 'lock' | 'prepare' | 'relock' | 'give-back' | 'count' | 'rest' | `tick ${number}`

/** A tiny RabbitMQ, the shell, and the state machine between them; a value, so that every way on can be tried. */
export interface World {
  readonly state: WorldState
  readonly source: readonly number[]
  /** At the target, sorted. */
  readonly target: readonly number[]
  /** Handed out and not acknowledged, as the broker sees it. */
  readonly hand: readonly number[]
  readonly held: readonly number[]
  /** Kept by the queue for a node that is gone; undefined: no node was lost. */
  readonly away: readonly number[] | undefined
  /** On the wire to the broker: acks by token, and questions behind them that prove so many of all on this channel. */
  readonly wire: readonly (number | { readonly proves: number })[]
  /** Acks on this channel, and how many of them the shell knows to have arrived. */
  readonly sent: number
  readonly known: number
  readonly publishes: readonly Publish[]
  readonly walk: { readonly left: number; readonly prefetch: number } | undefined
  readonly errands: readonly Errand[]
  readonly faults: Faults
  readonly arrived: number
  /** Acks that the broker has seen, in their order. */
  readonly acked: readonly number[]
  readonly removed: number
  readonly confirmed: number
  readonly costs: number
  readonly finished: { readonly outcome: string } | undefined
}

export class Violation extends Error {}

export function startWorld(rules: WorldRules): World {
  const { messages, window, limit = Number.POSITIVE_INFINITY } = rules
  const state = startRedriveState<WorldMessage>({
    window: { messages: window, bytes: 1_000_000 },
    limit,
    ratePerSecond: undefined,
    canary: undefined,
    isWatched: false,
    stopWhenTargetAbove: undefined,
    waitMs: 600_000,
  })
  const source = Array.from({ length: messages }, (_, token) => token)
  const world: World = {
    state,
    source,
    target: [],
    hand: [],
    held: [],
    away: undefined,
    wire: [],
    sent: 0,
    known: 0,
    publishes: [],
    walk: undefined,
    errands: [],
    faults: rules.faults,
    arrived: 0,
    acked: [],
    removed: 0,
    confirmed: 0,
    costs: 0,
    finished: undefined,
  }
  return tell(world, rules, { kind: 'started' })
}

/** Tells the state machine what happened, and carries out what it commands. */
function tell(world: World, rules: WorldRules, event: WorldEvent): World {
  const { next = nextRedriveState } = rules
  const { state, commands } = next(world.state, event)
  return commands.reduce<World>((after, command) => carryOut(after, command), { ...world, state })
}

function carryOut(world: World, command: RedriveCommand<WorldMessage>): World {
  switch (command.kind) {
    case 'publish': {
      const sent = command.messages.map(({ token }) => ({ token, isStored: false }))
      return { ...world, publishes: [...world.publishes, ...sent] }
    }
    case 'ack':
      return command.messages.reduce((after, { token }) => acknowledge(after, token), world)
    case 'hold':
      return { ...world, held: [...world.held, command.message.token] }
    case 'prove-acks':
      return { ...world, wire: [...world.wire, { proves: world.sent }] }
    case 'take':
      return { ...world, walk: { left: command.count, prefetch: command.prefetch } }
    case 'stop-taking':
      return { ...world, walk: world.walk && { ...world.walk, left: 0 } }
    case 'lock':
    case 'prepare':
    case 'relock':
    case 'give-back':
    case 'count':
      return { ...world, errands: [...world.errands, command.kind] }
    case 'await-leaders':
    case 'await-returned':
      return { ...world, errands: [...world.errands, 'rest'] }
    case 'wake':
      return { ...world, errands: [...world.errands, `tick ${command.ms}`] }
    case 'finish':
      return { ...world, finished: { outcome: command.outcome } }
    default:
      return world
  }
}

function acknowledge(world: World, token: number): World {
  if (!world.hand.includes(token)) throw new Violation(`an ack for ${token}, which is not in hand`)
  return { ...world, wire: [...world.wire, token], sent: world.sent + 1 }
}

/** Every way on, those of the broker and the shell first, and then what may go wrong. */
export function waysOn(world: World, rules: WorldRules): readonly (() => World)[] {
  return [...regularWays(world, rules), ...faultyWays(world, rules)]
}

export function regularWays(world: World, rules: WorldRules): readonly (() => World)[] {
  if (world.finished) return []
  const ways: (() => World)[] = []
  const { walk, source, hand, held, state } = world
  if (walk && state.pass.walk === 'on') {
    // What is held uses up no credit: another channel takes over.
    const credit = walk.prefetch - (hand.length - held.length)
    const most = Math.min(walk.left, source.length, credit)
    for (let count = 1; count <= most; count += 1) ways.push(() => deliver(world, rules, count))
    if (walk.left === 0 || source.length === 0) ways.push(() => endWalk(world, rules))
  }
  if (world.wire.length > 0) ways.push(() => readWire(world, rules))
  world.publishes.forEach(({ isStored }, index) => {
    ways.push(isStored ? () => confirm(world, rules, [index]) : () => store(world, index))
  })
  const stored = [...world.publishes.keys()].filter((index) => world.publishes[index]!.isStored)
  if (stored.length > 1) ways.push(() => confirm(world, rules, stored))
  if (isKeeping(world)) ways.push(() => ({ ...world, source: [...world.away!, ...world.source], away: [] }))
  const errand = world.errands[0]
  if (errand !== undefined && isDue(world, errand)) ways.push(() => run(world, rules, errand))
  return ways
}

function isKeeping({ away }: World): boolean {
  return away !== undefined && away.length > 0
}

/** A count and a rest wait until the queue gives nothing back any more. */
function isDue(world: World, errand: Errand): boolean {
  if (errand === 'give-back') return world.wire.length === 0
  return (errand !== 'count' && errand !== 'rest') || !isKeeping(world)
}

/** Those that come in one read are told at once. */
function deliver(world: World, rules: WorldRules, count: number): World {
  const tokens = world.source.slice(0, count)
  const walk = { ...world.walk!, left: world.walk!.left - count }
  const taken = { ...world, source: world.source.slice(count), hand: [...world.hand, ...tokens], walk }
  const messages = tokens.map((token) => messageOf(token, rules))
  return tell(proveByDeliveries(taken, rules), rules, { kind: 'delivered', messages })
}

function messageOf(token: number, { kept }: WorldRules): WorldMessage {
  const isKept = kept?.includes(token)
  return { bytes: 1, token, step: isKept ? { kind: 'keep', reason: 'not-selected' } : { kind: 'publish' } }
}

/** The broker sends no more than the prefetch, so the shell knows how many of its acks it must have seen. */
function proveByDeliveries(world: World, rules: WorldRules): World {
  const { hand, held, wire, walk, sent } = world
  const acked = wire.filter((each) => typeof each === 'number').length
  const open = hand.length - held.length - acked
  return learn(world, rules, { known: sent - (walk!.prefetch - open), isAnswer: false })
}

function learn(world: World, rules: WorldRules, proof: { known: number; isAnswer: boolean }): World {
  const count = Math.max(0, proof.known - world.known)
  if (count === 0 && !proof.isAnswer) return world
  const known = world.known + count
  return tell({ ...world, known }, rules, { kind: 'acks-known', count, isAnswer: proof.isAnswer })
}

function endWalk(world: World, rules: WorldRules): World {
  const { walk, state } = world
  const isStopped = state.ending.stopped !== undefined || state.flow.selected >= state.settings.limit
  const end = isStopped ? 'stopped' : walk!.left === 0 ? 'all-seen' : 'emptied'
  return tell({ ...world, walk: undefined }, rules, { kind: 'walked', end })
}

function readWire(world: World, rules: WorldRules): World {
  const [first, ...wire] = world.wire
  if (typeof first === 'number') {
    const hand = world.hand.filter((token) => token !== first)
    return { ...world, wire, hand, acked: [...world.acked, first], removed: world.removed + 1 }
  }
  return learn({ ...world, wire }, rules, { known: first!.proves, isAnswer: true })
}

function store(world: World, index: number): World {
  const { token } = world.publishes[index]!
  const publishes = world.publishes.with(index, { token, isStored: true })
  return { ...world, publishes, target: [...world.target, token].toSorted() }
}

function confirm(world: World, rules: WorldRules, indexes: readonly number[]): World {
  const publishes = world.publishes.filter((_, index) => !indexes.includes(index))
  const confirmed = world.confirmed + indexes.length
  const messages = indexes.map((index) => messageOf(world.publishes[index]!.token, rules))
  return tell({ ...world, publishes, confirmed }, rules, { kind: 'confirmed', messages })
}

function run(world: World, rules: WorldRules, errand: Errand): World {
  const rest = { ...world, errands: world.errands.slice(1) }
  switch (errand) {
    case 'lock':
      return tell(rest, rules, { kind: 'locked' })
    case 'prepare':
      return tell(rest, rules, {
        kind: 'prepared',
        otherConsumers: 0,
        returnLimit: undefined,
        inOverLimitQueue: 0,
        prefetch: rules.prefetch ?? 3,
        depth: isKeeping(world) ? 0 : world.source.length,
        returnsInMs: isKeeping(world) ? 1_000 : 0,
      })
    case 'relock':
      return tell(rest, rules, { kind: 'relocked', held: 'held' })
    case 'give-back':
      return tell(giveBack(rest), rules, {
        kind: 'gave-back',
        returnsInMs: isKeeping(world) ? 1_000 : 0,
        hasLostNode: world.away !== undefined,
      })
    case 'count':
      return tell(rest, rules, {
        kind: 'counted',
        count: {
          kind: 'counted',
          depth: world.source.length,
          otherConsumers: 0,
          inOverLimitQueue: 0,
          isLocked: false,
          isAllBack: true,
        },
      })
    case 'rest':
      return tell(rest, rules, { kind: 'rested' })
    default:
      return tell(rest, rules, { kind: 'tick', ms: Number(errand.slice('tick '.length)) })
  }
}

function giveBack(world: World): World {
  const forgotten = world.hand.filter((token) => !world.held.includes(token))
  if (forgotten.length > 0) throw new Violation(`${forgotten} given back, and nobody said that they stay`)
  return { ...world, source: [...world.hand, ...world.source], hand: [], held: [], sent: 0, known: 0 }
}

function faultyWays(world: World, rules: WorldRules): readonly (() => World)[] {
  const { faults, publishes, finished } = world
  if (finished || world.state.phase === 'locking') return []
  const ways: (() => World)[] = []
  const use = (fault: keyof Faults): World => ({
    ...world,
    faults: { ...faults, [fault]: faults[fault] - 1 },
  })
  if (faults.lostConsuming > 0) ways.push(() => loseConsuming(use('lostConsuming'), rules))
  if (faults.lostPublishing > 0) ways.push(() => losePublishing(use('lostPublishing'), rules))
  if (faults.lostBoth > 0) ways.push(() => loseBoth(use('lostBoth'), rules))
  if (faults.lostNodes > 0) ways.push(() => loseNode(use('lostNodes'), rules))
  for (let undone = 0; faults.crashes > 0 && undone <= world.acked.length; undone += 1)
    ways.push(() => crash(use('crashes'), rules, undone))
  publishes.forEach(({ token, isStored }, index) => {
    const answered = (fault: keyof Faults): World => ({
      ...use(fault),
      publishes: publishes.toSpliced(index, 1),
    })
    const message = messageOf(token, rules)
    if (faults.returned > 0 && !isStored)
      ways.push(() => tell(answered('returned'), rules, { kind: 'returned', message }))
    if (faults.nacked > 0 && !isStored)
      ways.push(() =>
        tell(answered('nacked'), rules, { kind: 'nacked', message, queues: ['work'], mayBeThere: false }),
      )
    if (faults.unanswered > 0) {
      const late = { kind: 'unanswered', message, cause: 'deadline', mayBeThere: true } as const
      ways.push(() => tell({ ...answered('unanswered'), costs: world.costs + 1 }, rules, late))
    }
  })
  if (faults.arrivals > 0) {
    const token = rules.messages + world.arrived
    ways.push(() => ({ ...use('arrivals'), source: [...world.source, token], arrived: world.arrived + 1 }))
  }
  if (faults.cancels > 0) ways.push(() => tell(use('cancels'), rules, { kind: 'cancel' }))
  if (faults.pauses > 0) {
    const isPaused = world.state.isPaused
    if (!isPaused) ways.push(() => tell(world, rules, { kind: 'pause' }))
    else ways.push(() => tell(use('pauses'), rules, { kind: 'resume' }))
  }
  return ways
}

function loseConsuming(world: World, rules: WorldRules, reconnection: Reconnection = 'at-once'): World {
  const { hand, source, state, errands } = world
  const back: World = {
    ...world,
    source: [...hand, ...source],
    hand: [],
    held: [],
    wire: [],
    sent: 0,
    known: 0,
    walk: undefined,
    costs: world.costs + rules.window,
  }
  // What was asked for on that connection fails with it.
  const isAsked = errands[0] === 'prepare' || errands[0] === 'give-back'
  const without = isAsked ? { ...back, errands: errands.slice(1) } : back
  const hasChannel = state.phase === 'taking' || isAsked
  const gone = tell(without, rules, { kind: 'disconnected', connection: 'consuming' })
  const lost = hasChannel ? tell(gone, rules, { kind: 'lost' }) : gone
  return tell(lost, rules, { kind: 'connected', connection: 'consuming', reconnection })
}

function losePublishing(world: World, rules: WorldRules): World {
  const { publishes } = world
  const costs = world.costs + rules.window
  const unanswered = publishes.reduce<World>(
    (after, { token }) =>
      tell(after, rules, {
        kind: 'unanswered',
        message: messageOf(token, rules),
        cause: 'connection-lost',
        mayBeThere: true,
      }),
    { ...world, publishes: [], costs },
  )
  const gone = tell(unanswered, rules, { kind: 'disconnected', connection: 'publishing' })
  return tell(gone, rules, { kind: 'connected', connection: 'publishing' })
}

/** Costs one window, and not two. */
function loseBoth(world: World, rules: WorldRules, reconnection?: Reconnection): World {
  const { publishes, costs } = world
  const unanswered = publishes.reduce<World>(
    (after, { token }) =>
      tell(after, rules, {
        kind: 'unanswered',
        message: messageOf(token, rules),
        cause: 'connection-lost',
        mayBeThere: true,
      }),
    { ...world, publishes: [] },
  )
  const gone = tell(unanswered, rules, { kind: 'disconnected', connection: 'publishing' })
  const lost = loseConsuming(gone, rules, reconnection)
  return {
    ...tell(lost, rules, { kind: 'connected', connection: 'publishing' }),
    costs: costs + rules.window,
  }
}

/** The queue gives back what was in hand when it no longer waits for the node. */
function loseNode(world: World, rules: WorldRules): World {
  const away = [...(world.away ?? []), ...world.hand]
  return loseBoth({ ...world, hand: [], away }, rules, 'moved')
}

/** The last acks are undone: their messages are in the queue again, at its head. */
function crash(world: World, rules: WorldRules, undone: number): World {
  const { acked, source, hand } = world
  const back = acked.slice(acked.length - undone).toSorted()
  const isInHand = (token: number): boolean => hand.includes(token)
  return loseBoth(
    {
      ...world,
      source: [...back.filter((token) => !isInHand(token)), ...source],
      acked: acked.slice(0, acked.length - undone),
      removed: world.removed - undone,
      costs: world.costs + undone,
    },
    rules,
    'after-a-while',
  )
}

/** What must be true in every world that can be reached. */
export function checkWorld(world: World, rules: WorldRules): void {
  const everywhere = [...world.source, ...world.hand, ...(world.away ?? []), ...world.target]
  const tokens = rules.messages + world.arrived
  for (let token = 0; token < tokens; token += 1)
    if (!everywhere.includes(token)) throw new Violation(`${token} is nowhere`)
  // A crash right now would leave so many twice.
  const copies = everywhere.length - tokens
  if (copies > world.costs + rules.window) throw new Violation(`${copies} copies, ${world.costs} are allowed`)
  const { flow } = world.state
  const underWay = flow.unanswered + flow.unproved
  if (flow.unanswered < 0 || flow.unproved < 0) throw new Violation('a count below zero')
  if (underWay > rules.window) throw new Violation(`${underWay} under way, and the window is ${rules.window}`)
  if (flow.unanswered > world.publishes.length) throw new Violation('an answer that never came is waited for')
  if (world.finished) checkReceipt(world, rules)
}

function checkReceipt(world: World, rules: WorldRules): void {
  const { target, source, removed, confirmed, finished } = world
  const told = readNumbers(world.state)
  const truth = { removed, published: confirmed, copies: target.length - removed }
  const say = (problem: string): Violation =>
    new Violation(`${problem}: ${JSON.stringify(told)}, and the truth is ${JSON.stringify(truth)}`)
  if (told.published !== confirmed) throw say('false publishes')
  if (target.length < told.published || target.length > told.published + told.unanswered)
    throw say('false count at the target')
  if (told.moved > removed || removed > told.moved + told.acksInDoubt) throw say('false moves')
  if (world.arrived === 0 && told.moved !== removed) throw say('moves that counts would prove')
  if (truth.copies > told.duplicatesPossible) throw say('more copies than told')
  if (truth.copies > world.costs) throw say('more copies than windows')
  if (told.missing !== 0) throw say('nobody took any')
  const arrivals = told.arrivals ?? 0
  const present = source.length + removed - world.arrived
  if (told.present !== rules.messages && told.present < present) throw say('false presence')
  if (
    arrivals > world.arrived ||
    world.arrived - (told.present - rules.messages) > arrivals + told.acksInDoubt
  )
    throw say('false arrivals')
  if (told.present !== told.moved + told.failed + told.kept + told.stillThere) throw say('a sum that is none')
  const left = source.filter((token) => token < rules.messages).length
  const hasLimit = rules.limit !== undefined
  // After a loss nobody can tell what arrived from what came back: one may have been moved in place of the other.
  const { lostConsuming, lostBoth, crashes, lostNodes } = rules.faults
  const swapped = lostConsuming + lostBoth + crashes + lostNodes > 0 ? world.arrived : 0
  if (finished?.outcome === 'done' && !hasLimit && left > told.failed + told.kept + swapped)
    throw say('not done at all')
}
