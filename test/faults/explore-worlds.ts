import { hash } from 'node:crypto'
import {
  checkWorld,
  regularWays,
  startWorld,
  Violation,
  type World,
  type WorldRules,
  waysOn,
} from './redrive-world.ts'

export interface Exploration {
  readonly states: number
  readonly transitions: number
  readonly endings: number
}

/** Visits every world that can be reached, once; throws at the first that breaks a promise. */
export function exploreWorlds(rules: WorldRules): Exploration {
  const done = new Set<string>()
  const onPath = new Set<string>()
  let transitions = 0
  let endings = 0
  const first = startWorld(rules)
  const path: { readonly key: string; readonly ways: readonly (() => World)[]; at: number }[] = []
  const enter = (world: World): void => {
    const key = keyOf(world)
    if (onPath.has(key)) throw new Violation(`it goes round in a circle in ${world.state.phase}`)
    if (done.has(key)) return
    checkWorld(world, rules)
    if (world.finished) endings += 1
    else if (!world.state.isPaused && regularWays(world, rules).length === 0)
      throw new Violation(`it is stuck in ${world.state.phase}`)
    onPath.add(key)
    path.push({ key, ways: waysOn(world, rules), at: 0 })
  }
  enter(first)
  for (let step = path.at(-1); step; step = path.at(-1)) {
    const way = step.ways[step.at]
    if (way) {
      step.at += 1
      transitions += 1
      enter(way())
    } else {
      path.pop()
      onPath.delete(step.key)
      done.add(step.key)
    }
  }
  return { states: done.size, transitions, endings }
}

/** The same key for worlds that nothing can tell apart; what never changes is left out. */
function keyOf(world: World): string {
  const { state, source, target, hand, held, away, wire, sent, known, publishes, walk, errands, faults } =
    world
  const { flow, counts, window, wait, crash, pass, ending, isPaused, phase } = state
  const values = [
    ...[
      phase,
      isPaused,
      valuesOf(flow),
      valuesOf(counts),
      window.size,
      wait,
      valuesOf(crash),
      valuesOf(pass),
      valuesOf(ending),
    ],
    ...[
      source,
      target,
      hand,
      held,
      away,
      wire,
      sent,
      known,
      publishes.map(valuesOf),
      walk,
      errands,
      valuesOf(faults),
    ],
    ...[world.arrived, world.acked, world.removed, world.confirmed, world.costs, world.finished],
  ]
  return hash('sha1', JSON.stringify(values), 'base64')
}

const valuesOf = (record: object): readonly unknown[] => Object.values(record)
