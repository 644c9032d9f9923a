type Next = (node: string) => readonly string[]

/**
 * The groups of nodes that can all reach each other, a node that leads to itself included. Tarjan's algorithm,
 * without recursion, because a chain may be as long as the topology has queues.
 */
export function findLoops(nodes: Iterable<string>, next: Next): readonly (readonly string[])[] {
  const search: Search = { next, orders: new Map(), visits: [], stack: [], loops: [] }
  for (const node of nodes) if (!endsSoon(next, node) && !search.orders.has(node)) explore(search, node)
  return search.loops
}

/** Whether all ways from here end within a few steps, as nearly all do: then none of them leads back. */
function endsSoon(next: Next, start: string): boolean {
  let budget = 16
  const ends = (node: string, steps: number): boolean => {
    const targets = next(node)
    if (targets.length === 0) return true
    budget -= targets.length
    return steps > 0 && budget >= 0 && targets.every((target) => ends(target, steps - 1))
  }
  return ends(start, 3)
}

/** The shortest way from a node back to itself within its group, as the nodes in order. */
export function cycleThrough(start: string, loop: readonly string[], next: Next): readonly string[] {
  const inLoop = new Set(loop)
  const cameFrom = new Map<string, string>()
  const open = [start]
  for (const node of open) {
    for (const target of next(node)) {
      if (target === start) return pathTo(node, start, cameFrom)
      if (!inLoop.has(target) || cameFrom.has(target)) continue
      cameFrom.set(target, node)
      open.push(target)
    }
  }
  return [start]
}

interface Search {
  readonly next: Next
  readonly orders: Map<string, number>
  /** By their order. */
  readonly visits: Visit[]
  /** Visited nodes whose group is not known yet. */
  readonly stack: Visit[]
  readonly loops: (readonly string[])[]
}

interface Visit {
  readonly node: string
  readonly order: number
  /** The earliest visit that can be reached from here. */
  low: number
  isOnStack: boolean
  readonly targets: readonly string[]
  nextTarget: number
}

function explore(search: Search, start: string): void {
  const { next, orders, visits } = search
  const path = [visit(search, start, next(start))]
  for (let at = path.at(-1); at !== undefined; at = path.at(-1)) {
    const target = at.targets[at.nextTarget++]
    if (target === undefined) {
      path.pop()
      const parent = path.at(-1)
      if (parent !== undefined) parent.low = Math.min(parent.low, at.low)
      if (at.low === at.order) closeGroup(search, at)
      continue
    }
    const known = visits[orders.get(target) ?? -1]
    if (known?.isOnStack) at.low = Math.min(at.low, known.order)
    if (known !== undefined) continue
    const targets = next(target)
    // Nothing comes back from where nothing leads on, and most ways end so.
    if (targets.length > 0) path.push(visit(search, target, targets))
  }
}

function visit({ orders, visits, stack }: Search, node: string, targets: readonly string[]): Visit {
  const order = visits.length
  const made = { node, order, low: order, isOnStack: true, targets, nextTarget: 0 }
  orders.set(node, order)
  visits.push(made)
  stack.push(made)
  return made
}

function closeGroup({ stack, loops }: Search, { node, targets }: Visit): void {
  const last = stack.pop()
  // Nearly always a node is on its own, and leads to others only.
  if (last === undefined || (last.node === node && !targets.includes(node))) {
    if (last !== undefined) last.isOnStack = false
    return
  }
  const group: string[] = []
  for (let member: Visit | undefined = last; member !== undefined; ) {
    group.push(member.node)
    member.isOnStack = false
    member = member.node === node ? undefined : stack.pop()
  }
  loops.push(group.reverse())
}

function pathTo(node: string, start: string, cameFrom: ReadonlyMap<string, string>): readonly string[] {
  const path = [node]
  for (let at: string | undefined = node; at !== undefined && at !== start; ) {
    at = cameFrom.get(at)
    if (at !== undefined) path.unshift(at)
  }
  return path
}
