import type { World, WorldRules } from './redrive-world.ts'
import { createValueHash, type ValueHash } from './value-hash.ts'

const valueHash = createValueHash()

/**
 * The same key for worlds that nothing can tell apart. What never changes is left out, and messages that differ by their
 * number alone count as the same: they are numbered in the order in which they stand in the world.
 */
export function keyOfWorld(world: World, rules: WorldRules): ValueHash {
  const { flow, counts, window, wait, crash, pass, ending, isPaused, phase } = world.state
  const { waiting, again, ...numbers } = flow
  const nameOf = renumber(world, rules)
  const named = (tokens: readonly number[]): number[] => tokens.map(nameOf)
  return valueHash([
    phase,
    isPaused,
    numbers,
    named(tokensOf(waiting)),
    named(tokensOf(again)),
    counts,
    window.size,
    wait,
    crash,
    pass,
    ending,
    named(world.source),
    named(world.hand),
    world.away && named(world.away),
    world.wire.map((item) => (typeof item === 'number' ? nameOf(item) : item)),
    // Of these the order means nothing.
    named(world.held).sort(),
    named(world.publishes).sort(),
    named(world.target).sort(),
    world.strays,
    world.sent,
    world.known,
    world.walk,
    world.errands,
    world.faults,
    world.arrived,
    mayBeUndone(rules) ? world.acked : undefined,
    world.removed,
    world.confirmed,
    world.costs,
    world.finished,
  ])
}

function tokensOf(messages: readonly { readonly token: number }[]): readonly number[] {
  return messages.map(({ token }) => token)
}

/** Only a crash looks at acks that the broker has read, and puts their messages back by their numbers. */
function mayBeUndone({ faults }: WorldRules): boolean {
  return faults.crashes > 0
}

/**
 * The same rules hold for each message of a kind: those of the start that are to go, those that stay, and those that
 * arrived. Within its kind each gets its number by where it stands first.
 */
function renumber(world: World, rules: WorldRules): (token: number) => number {
  if (mayBeUndone(rules)) return (token) => token
  const { messages, kept = [] } = rules
  const names: number[] = []
  let next = 0
  let arrived = messages
  const name = (token: number): void => {
    if (names[token] !== undefined) return
    if (kept.includes(token)) names[token] = token
    else if (token >= messages) names[token] = arrived++
    else {
      while (kept.includes(next)) next += 1
      names[token] = next++
    }
  }
  const { source, hand, away = [], wire, publishes, target, held } = world
  const { waiting, again } = world.state.flow
  for (const token of source) name(token)
  for (const token of hand) name(token)
  for (const token of away) name(token)
  for (const item of wire) if (typeof item === 'number') name(item)
  for (const { token } of waiting) name(token)
  for (const { token } of again) name(token)
  for (const token of publishes) name(token)
  for (const token of held) name(token)
  for (const token of target) name(token)
  return (token) => names[token]!
}
