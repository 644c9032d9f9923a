/**
 * Keeps targets from being filled: as many messages go as there was room at the last count, then they are counted
 * again. The count is the broker's own, so it includes what others publish and what consumers take.
 */
export interface GateState {
  /** No target is to hold more ready messages than this because of us. */
  readonly limit: number
  readonly queues: readonly string[]
  readonly room: number
  readonly isCounting: boolean
  /** The last count left no room. */
  readonly wasFull: boolean
  /** Without an answer when the count began: they may or may not be in it. */
  readonly underWay: number
}

const mostAtOnce = 1_000

export function openGate(limit: number | undefined): GateState | undefined {
  if (limit === undefined) return undefined
  return { limit, queues: [], room: 0, isCounting: false, wasFull: false, underWay: 0 }
}

/** A queue whose depth is not known leaves no room. */
export function watchQueues(gate: GateState, queues: readonly string[]): GateState {
  const added = queues.filter((queue) => !gate.queues.includes(queue))
  return added.length === 0 ? gate : { ...gate, queues: [...gate.queues, ...added], room: 0 }
}

export function countingGate(gate: GateState, underWay: number): GateState {
  return { ...gate, isCounting: true, underWay }
}

export function countedGate(gate: GateState, depth: number | undefined): GateState {
  const room = depth === undefined ? 0 : Math.min(mostAtOnce, gate.limit - depth - gate.underWay)
  return { ...gate, room, isCounting: false, wasFull: room <= 0 }
}

/** A target is as deep as it may be, and nothing of ours was in flight. */
export function isFull(gate: GateState, depth: number | undefined): boolean {
  return depth !== undefined && gate.room <= 0 && gate.underWay === 0
}
