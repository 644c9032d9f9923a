/** Where a re-drive is. The table has every arrow; the drawing in the docs is made from it. */
export type RedrivePhase =
  | 'locking'
  | 'preparing'
  | 'resting'
  | 'taking'
  | 'giving-back'
  | 'relocking'
  | 'looking'
  | 'counting'
  | 'over'

export interface RedriveArrow {
  readonly from: RedrivePhase
  readonly to: RedrivePhase
  readonly when: string
}

export const redriveArrows: readonly RedriveArrow[] = [
  { from: 'locking', to: 'preparing', when: 'it has the lock' },
  { from: 'preparing', to: 'resting', when: 'the queue is counted and its rules are read' },
  { from: 'preparing', to: 'relocking', when: 'the connection was lost' },
  { from: 'preparing', to: 'counting', when: 'lost too often, or it must not look any more' },
  { from: 'resting', to: 'taking', when: 'messages are left, and nothing holds it up' },
  { from: 'resting', to: 'relocking', when: 'the connection was lost' },
  { from: 'resting', to: 'looking', when: 'all is done, with a canary' },
  { from: 'resting', to: 'counting', when: 'all is done, or it is to stop' },
  {
    from: 'taking',
    to: 'giving-back',
    when: 'all are seen or it is to stop, and every publish has its answer',
  },
  { from: 'taking', to: 'relocking', when: 'the connection was lost, and every publish has its answer' },
  { from: 'taking', to: 'counting', when: 'the queue was deleted' },
  { from: 'giving-back', to: 'resting', when: 'another pass is due' },
  { from: 'giving-back', to: 'relocking', when: 'the connection was lost' },
  { from: 'giving-back', to: 'looking', when: 'all is done, with a canary' },
  { from: 'giving-back', to: 'counting', when: 'all is done, or it is to stop' },
  { from: 'relocking', to: 'preparing', when: 'it has the lock again' },
  { from: 'relocking', to: 'counting', when: 'somebody else has it, or the broker stays away' },
  { from: 'looking', to: 'counting', when: 'the last stage was looked for' },
  { from: 'counting', to: 'resting', when: 'a crash of the broker has undone acks' },
  { from: 'counting', to: 'over', when: 'the receipt is written' },
]

const allowed = new Set(redriveArrows.map(({ from, to }) => `${from} ${to}`))

/** Throws if the table has no such arrow. */
export function checkArrow(from: RedrivePhase, to: RedrivePhase): RedrivePhase {
  if (!allowed.has(`${from} ${to}`)) throw new Error(`A re-drive cannot go from ${from} to ${to}.`)
  return to
}
