import type { Reconnection } from '../../packages/warrenmq/src/recovery/redrive/crash-state.ts'
import {
  channelEnds,
  deliver,
  type Faults,
  isDue,
  messageOf,
  mostDelivered,
  run,
  tell,
  type World,
  type WorldRules,
} from './redrive-world.ts'

/** What may go wrong next, or happen from outside. */
export function faultyWays(world: World, rules: WorldRules): readonly (() => World)[] {
  const { faults, publishes, finished } = world
  if (finished || world.state.phase === 'locking') return []
  const ways: (() => World)[] = []
  const use = (fault: keyof Faults): World => ({
    ...world,
    faults: { ...faults, [fault]: faults[fault] - 1 },
  })
  if (faults.lostConsuming > 0)
    for (const lost of channelEnds(use('lostConsuming'))) ways.push(() => loseConsuming(lost, rules))
  if (faults.lostPublishing > 0) ways.push(() => losePublishing(use('lostPublishing'), rules))
  if (faults.lostBoth > 0)
    for (const lost of channelEnds(use('lostBoth'))) ways.push(() => loseBoth(lost, rules))
  if (faults.lostNodes > 0)
    for (const lost of channelEnds(use('lostNodes'))) ways.push(() => loseNode(lost, rules))
  if (faults.crashes > 0)
    for (const lost of channelEnds(use('crashes')))
      for (let undone = 0; undone <= lost.acked.length; undone += 1)
        ways.push(() => crash(lost, rules, undone))
  publishes.forEach((token, index) => {
    const answered = (fault: keyof Faults): World => ({
      ...use(fault),
      publishes: publishes.toSpliced(index, 1),
    })
    const message = messageOf(token, rules)
    if (faults.returned > 0) ways.push(() => tell(answered('returned'), rules, { kind: 'returned', message }))
    if (faults.nacked > 0)
      ways.push(() =>
        tell(answered('nacked'), rules, { kind: 'nacked', message, queues: ['work'], mayBeThere: false }),
      )
    if (faults.unanswered > 0) {
      const late = { kind: 'unanswered', message, cause: 'deadline', mayBeThere: true } as const
      const strays = world.strays + 1
      ways.push(() => tell({ ...answered('unanswered'), strays, costs: world.costs + 1 }, rules, late))
    }
  })
  for (let count = 1; count <= faults.arrivals; count += 1)
    ways.push(...waysToMeet(arrive(world, rules, count), rules))
  if (faults.cancels > 0) ways.push(() => tell(use('cancels'), rules, { kind: 'cancel' }))
  if (faults.pauses > 0) {
    const isPaused = world.state.isPaused
    if (!isPaused) ways.push(() => tell(world, rules, { kind: 'pause' }))
    else ways.push(() => tell(use('pauses'), rules, { kind: 'resume' }))
  }
  return ways
}

function arrive(world: World, rules: WorldRules, count: number): World {
  const { faults, source, arrived } = world
  const tokens = Array.from({ length: count }, (_, index) => rules.messages + arrived + index)
  return {
    ...world,
    faults: { ...faults, arrivals: faults.arrivals - count },
    source: [...source, ...tokens],
    arrived: arrived + count,
  }
}

/** What arrives is first met by a delivery of everything up to it, or by a count. */
function waysToMeet(world: World, rules: WorldRules): readonly (() => World)[] {
  const { walk, source, state, errands } = world
  if (walk && state.pass.walk === 'on' && mostDelivered(world) === source.length)
    return [() => deliver(world, rules, source.length)]
  const errand = errands[0]
  const isMet = (errand === 'prepare' || errand === 'count') && isDue(world, errand)
  return isMet ? [() => run(world, rules, errand)] : []
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
    (after, token) =>
      tell(after, rules, {
        kind: 'unanswered',
        message: messageOf(token, rules),
        cause: 'connection-lost',
        mayBeThere: true,
      }),
    { ...world, publishes: [], strays: world.strays + publishes.length, costs },
  )
  const gone = tell(unanswered, rules, { kind: 'disconnected', connection: 'publishing' })
  return tell(gone, rules, { kind: 'connected', connection: 'publishing' })
}

/** Costs one window, and not two. */
function loseBoth(world: World, rules: WorldRules, reconnection?: Reconnection): World {
  const { publishes, costs } = world
  const unanswered = publishes.reduce<World>(
    (after, token) =>
      tell(after, rules, {
        kind: 'unanswered',
        message: messageOf(token, rules),
        cause: 'connection-lost',
        mayBeThere: true,
      }),
    { ...world, publishes: [], strays: world.strays + publishes.length },
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
