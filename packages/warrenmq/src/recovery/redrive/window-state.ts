/**
 * How many messages may be published and not known to be acknowledged: this many may be there twice if this process
 * dies or a connection is lost. It shrinks with every loss and grows again with every proof, as TCP's window does.
 */
export interface WindowState {
  readonly size: number
  /** As it was asked for. */
  readonly most: number
  /** Published without an answer. */
  readonly mostBytes: number
}

/** A connection that breaks again and again costs this many each time. */
const few = 4

export function openWindow(most: number, mostBytes: number): WindowState {
  return { size: most, most, mostBytes }
}

/** A connection was lost. */
export function shrinkWindow(window: WindowState): WindowState {
  const least = Math.max(1, Math.min(few, Math.floor(window.most / 2)))
  return { ...window, size: Math.max(Math.min(least, window.size), Math.floor(window.size / 2)) }
}

/** One at a time: what the broker closes the channel for takes no other with it. */
export function closeWindow(window: WindowState): WindowState {
  return { ...window, size: 1 }
}

/** This many more acks are proved. */
export function growWindow(window: WindowState, proved: number): WindowState {
  if (window.size >= window.most) return window
  return { ...window, size: Math.min(window.most, window.size + Math.ceil(proved / 2)) }
}

/**
 * Proofs are asked for so early that what waits for one does not use up the window, and so late that mostly deliveries
 * have proved the acks before: a question costs the broker more than a message.
 */
const proofShare = 2
const mostProofs = 4

/** Whether the broker is to be asked for a proof of the acks so far. */
export function isProofDue(facts: {
  readonly size: number
  /** Acks that no proof in flight covers. */
  readonly uncovered: number
  readonly proofs: number
  readonly isFull: boolean
}): boolean {
  const { size, uncovered, proofs, isFull } = facts
  if (uncovered === 0 || proofs >= mostProofs) return false
  return uncovered * proofShare >= size || (isFull && proofs === 0)
}
