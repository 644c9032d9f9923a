import type { TakenMessage } from './redrive-event.ts'
import type { RedriveState } from './redrive-state.ts'

/**
 * Of the acks in doubt, as many have arrived as the queue holds fewer messages than without them. Others who take
 * messages, or messages that have not come back yet, would falsify that.
 */
export function settleDoubt<Message extends TakenMessage>(
  state: RedriveState<Message>,
  { depth, isAllBack }: { depth: number; isAllBack: boolean },
): RedriveState<Message> {
  const { counts, flow } = state
  if (counts.inDoubt === 0) return state
  const missing = counts.present - flow.known - counts.inOverLimitQueue - depth
  const isProof = isAllBack && counts.otherConsumers === 0
  const gone = isProof ? Math.min(counts.inDoubt, Math.max(0, missing)) : 0
  return { ...state, counts: { ...counts, gone } }
}
