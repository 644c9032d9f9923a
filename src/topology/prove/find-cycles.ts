type Next = (node: string) => readonly string[]

/**
 * The groups of nodes that can all reach each other, a node that leads to itself included. Tarjan's algorithm,
 * without recursion, because a chain may be as long as the topology has queues.
 */
export function findLoops(nodes: Iterable<string>, next: Next): readonly (readonly string[])[] {
  const search: Search = { next, visits: new Map(), stack: [], loops: [] }
  for (const node of nodes) if (next(node).length > 0 && !search.visits.has(node)) explore(search, node)
  return search.loops
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
  readonly visits: Map<string, Visit>
  /** Visited nodes whose group is not known yet. */
  readonly stack: string[]
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
  const path = [visit(search, start)]
  for (let at = path.at(-1); at !== undefined; at = path.at(-1)) {
    const target = at.targets[at.nextTarget++]
    if (target === undefined) {
      path.pop()
      const parent = path.at(-1)
      if (parent !== undefined) parent.low = Math.min(parent.low, at.low)
      if (at.low === at.order) closeGroup(search, at)
      continue
    }
    const known = search.visits.get(target)
    if (known === undefined) path.push(visit(search, target))
    else if (known.isOnStack) at.low = Math.min(at.low, known.order)
  }
}

function visit({ next, visits, stack }: Search, node: string): Visit {
  const order = visits.size
  const made = { node, order, low: order, isOnStack: true, targets: next(node), nextTarget: 0 }
  visits.set(node, made)
  stack.push(node)
  return made
}

function closeGroup({ visits, stack, loops }: Search, { node, targets }: Visit): void {
  const group: string[] = []
  for (let member = stack.pop(); member !== undefined; member = member === node ? undefined : stack.pop()) {
    group.push(member)
    const visited = visits.get(member)
    if (visited !== undefined) visited.isOnStack = false
  }
  if (group.length > 1 || targets.includes(node)) loops.push(group.reverse())
}

function pathTo(node: string, start: string, cameFrom: ReadonlyMap<string, string>): readonly string[] {
  const path = [node]
  for (let at: string | undefined = node; at !== undefined && at !== start; ) {
    at = cameFrom.get(at)
    if (at !== undefined) path.unshift(at)
  }
  return path
}
