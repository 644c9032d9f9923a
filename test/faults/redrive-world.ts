import { nextRedriveState } from '../../packages/warrenmq/src/recovery/redrive/next-redrive-state.ts'
import type { RedriveCommand } from '../../packages/warrenmq/src/recovery/redrive/redrive-command.ts'
import type {
  RedriveDecision,
  RedriveEvent,
} from '../../packages/warrenmq/src/recovery/redrive/redrive-event.ts'
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

/** What the shell was told to do and has not finished. */
type Errand = 'lock' | 'prepare' | 'relock' | 'give-back' | 'count' | 'rest' | `tick ${number}`

type WireItem = number | { readonly proves: number }

/**
 * A tiny RabbitMQ, the shell, and the state machine between them; a value, so that every way on can be tried. What the
 * broker does unseen is decided when it is seen: whether it has stored a publish, with the answer or the loss; whether it
 * has read an ack, with the loss or the delivery that needs it; when a message arrived, with the count or the delivery
 * that meets it. So one world stands for all between which nothing could tell, and the checks take the worst of them.
 */
export interface World {
  readonly state: WorldState
  readonly source: readonly number[]
  /** At the target for certain, sorted; each once. */
  readonly target: readonly number[]
  /** Publishes whose answers were lost: the broker may have stored any of them. */
  readonly strays: number
  /** Handed out and not acknowledged, as the broker sees it. */
  readonly hand: readonly number[]
  readonly held: readonly number[]
  /** Kept by the queue for a node that is gone; undefined: no node was lost. */
  readonly away: readonly number[] | undefined
  /** On the wire to the broker: acks by token, and questions behind them that prove so many of all on this channel. */
  readonly wire: readonly WireItem[]
  /** Acks on this channel, and how many of them the shell knows to have arrived. */
  readonly sent: number
  readonly known: number
  /** Without an answer; the broker may have stored any of them. */
  readonly publishes: readonly number[]
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
    strays: 0,
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
export function tell(world: World, rules: WorldRules, event: WorldEvent): World {
  const { next = nextRedriveState } = rules
  const { state, commands } = next(world.state, event)
  return commands.reduce<World>((after, command) => carryOut(after, command), { ...world, state })
}

function carryOut(world: World, command: RedriveCommand<WorldMessage>): World {
  switch (command.kind) {
    case 'publish': {
      const sent = command.messages.map(({ token }) => token)
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

/** What the broker and the shell may do next. */
export function regularWays(world: World, rules: WorldRules): readonly (() => World)[] {
  if (world.finished) return []
  const ways: (() => World)[] = []
  const { walk, source, publishes, state } = world
  if (walk && state.pass.walk === 'on') {
    for (let count = 1; count <= mostDelivered(world); count += 1)
      ways.push(() => deliver(world, rules, count))
    if (walk.left === 0 || source.length === 0) ways.push(() => endWalk(world, rules))
  }
  if (world.wire.some(isQuestion)) ways.push(() => answerQuestion(world, rules))
  publishes.forEach((_, index) => {
    ways.push(() => confirm(world, rules, [index]))
  })
  if (publishes.length > 1) ways.push(() => confirm(world, rules, [...publishes.keys()]))
  if (isKeeping(world)) ways.push(() => ({ ...world, source: [...world.away!, ...world.source], away: [] }))
  const errand = world.errands[0]
  if (errand !== undefined && isDue(world, errand)) ways.push(() => run(world, rules, errand))
  return ways
}

/** As many as are there, are wanted, and have credit once the broker has read all acks that it can have read. */
export function mostDelivered(world: World): number {
  const { walk, source } = world
  return Math.min(walk!.left, source.length, creditOf(world) + countUnread(world))
}

/** What is held uses up no credit: another channel takes over. */
function creditOf({ walk, hand, held }: World): number {
  return walk!.prefetch - (hand.length - held.length)
}

function isQuestion(item: WireItem): item is { readonly proves: number } {
  return typeof item !== 'number'
}

/** Acks that the broker may have read without a sign of it: those before the next question. */
export function countUnread({ wire }: World): number {
  const question = wire.findIndex(isQuestion)
  return question === -1 ? wire.length : question
}

/** The broker has read so many acks. */
export function readAcks(world: World, count: number): World {
  if (count === 0) return world
  const read = world.wire.slice(0, count) as readonly number[]
  const hand = world.hand.filter((token) => !read.includes(token))
  const acked = [...world.acked, ...read]
  return { ...world, wire: world.wire.slice(count), hand, acked, removed: world.removed + count }
}

function isKeeping({ away }: World): boolean {
  return away !== undefined && away.length > 0
}

/** A count and a rest wait until the queue gives nothing back any more. */
export function isDue(world: World, errand: Errand): boolean {
  if (errand === 'give-back') return !world.wire.some(isQuestion)
  return (errand !== 'count' && errand !== 'rest') || !isKeeping(world)
}

/** Those that come in one read are told at once. */
export function deliver(before: World, rules: WorldRules, count: number): World {
  const world = readAcks(before, Math.max(0, count - creditOf(before)))
  const tokens = world.source.slice(0, count)
  const walk = { ...world.walk!, left: world.walk!.left - count }
  const taken = { ...world, source: world.source.slice(count), hand: [...world.hand, ...tokens], walk }
  const messages = tokens.map((token) => messageOf(token, rules))
  return tell(proveByDeliveries(taken, rules), rules, { kind: 'delivered', messages })
}

export function messageOf(token: number, { kept }: WorldRules): WorldMessage {
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

function answerQuestion(before: World, rules: WorldRules): World {
  const world = readAcks(before, countUnread(before))
  const [question, ...wire] = world.wire as readonly [{ readonly proves: number }, ...WireItem[]]
  return learn({ ...world, wire }, rules, { known: question.proves, isAnswer: true })
}

function confirm(world: World, rules: WorldRules, indexes: readonly number[]): World {
  const tokens = indexes.map((index) => world.publishes[index]!)
  const publishes = world.publishes.filter((_, index) => !indexes.includes(index))
  const target = [...new Set([...world.target, ...tokens])].toSorted()
  const confirmed = world.confirmed + indexes.length
  const messages = tokens.map((token) => messageOf(token, rules))
  return tell({ ...world, publishes, target, confirmed }, rules, { kind: 'confirmed', messages })
}

export function run(world: World, rules: WorldRules, errand: Errand): World {
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
      return tell(giveBack(readAcks(rest, rest.wire.length)), rules, {
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

/** What the broker may have read of the acks that were on their way. */
export function channelEnds(world: World): readonly World[] {
  return Array.from({ length: countUnread(world) + 1 }, (_, count) => readAcks(world, count))
}
