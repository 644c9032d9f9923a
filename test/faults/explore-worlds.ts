import { checkWorld } from './check-world.ts'
import { faultyWays } from './faulty-ways.ts'
import { regularWays, startWorld, Violation, type World, type WorldRules } from './redrive-world.ts'
import { keyOfWorld } from './state-key.ts'
import { StateSet } from './state-set.ts'
import type { ValueHash } from './value-hash.ts'

export interface Exploration {
  readonly states: number
  readonly transitions: number
  readonly endings: number
}

/** Visits every world that can be reached, once; throws at the first that breaks a promise. */
export function exploreWorlds(rules: WorldRules): Exploration {
  const seen = new StateSet()
  const onPath = new Set<number>()
  let transitions = 0
  let endings = 0
  const first = startWorld(rules)
  const path: { readonly mark: number; readonly ways: readonly (() => World)[]; at: number }[] = []
  const enter = (world: World): void => {
    const key = keyOfWorld(world, rules)
    const mark = markOf(key)
    if (onPath.has(mark)) throw new Violation(`it goes round in a circle in ${world.state.phase}`)
    if (seen.has(key)) return
    seen.add(key)
    checkWorld(world, rules)
    const regular = regularWays(world, rules)
    if (world.finished) endings += 1
    else if (!world.state.isPaused && regular.length === 0)
      throw new Violation(`it is stuck in ${world.state.phase}`)
    onPath.add(mark)
    path.push({ mark, ways: [...regular, ...faultyWays(world, rules)], at: 0 })
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
      onPath.delete(step.mark)
    }
  }
  return { states: seen.size, transitions, endings }
}

/** 53 bits are enough to tell the few states of one path apart. */
function markOf({ high, low }: ValueHash): number {
  return (high >>> 11) * 2 ** 32 + low
}
