import { readNumbers } from '../../packages/warrenmq/src/recovery/redrive/redrive-numbers.ts'
import { channelEnds, countUnread, Violation, type World, type WorldRules } from './redrive-world.ts'

/** What must be true in every world that can be reached, whatever the broker has done unseen. */
export function checkWorld(world: World, rules: WorldRules): void {
  const { source, hand, away = [], target, wire } = world
  const unread = wire.slice(0, countUnread(world)) as readonly number[]
  // With no publish stored and every ack read.
  const sure = [...source, ...hand.filter((token) => !unread.includes(token)), ...away, ...target]
  const tokens = rules.messages + world.arrived
  for (let token = 0; token < tokens; token += 1)
    if (!sure.includes(token)) throw new Violation(`${token} is nowhere`)
  const { flow } = world.state
  const underWay = flow.unanswered + flow.unproved
  if (flow.unanswered < 0 || flow.unproved < 0) throw new Violation('a count below zero')
  if (underWay > rules.window) throw new Violation(`${underWay} under way, and the window is ${rules.window}`)
  if (flow.unanswered > world.publishes.length) throw new Violation('an answer that never came is waited for')
  // A crash right now would leave so many twice: with every publish stored and no ack read.
  const most = source.length + hand.length + away.length + atTarget(world).most
  const copies = most - tokens
  if (copies > world.costs + rules.window) throw new Violation(`${copies} copies, ${world.costs} are allowed`)
  if (world.finished) for (const end of channelEnds(world)) checkReceipt(end, rules)
}

/** How many messages are at the target, copies counted. */
function atTarget({ confirmed, strays, publishes }: World): {
  readonly least: number
  readonly most: number
} {
  return { least: confirmed, most: confirmed + strays + publishes.length }
}

function checkReceipt(world: World, rules: WorldRules): void {
  const { source, removed, confirmed, finished } = world
  const { least, most } = atTarget(world)
  const told = readNumbers(world.state)
  const truth = { removed, published: confirmed, copies: most - removed }
  const say = (problem: string): Violation =>
    new Violation(`${problem}: ${JSON.stringify(told)}, and the truth is ${JSON.stringify(truth)}`)
  if (told.published !== confirmed) throw say('false publishes')
  if (least < told.published || most > told.published + told.unanswered)
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
