import type { Interruption, RedriveOutcome } from '../receipt/receipt.ts'
import { tryTake } from './end-pass.ts'
import type { EndCount, TakenMessage } from './redrive-event.ts'
import { type Commands, enterPhase, leftOf, movedOf, type RedriveState } from './redrive-state.ts'
import { settleDoubt } from './settle-doubt.ts'

type State<Message extends TakenMessage> = RedriveState<Message>

/** The last count has an answer: the run is over, or continues if a crash has undone acks. */
export function counted<Message extends TakenMessage>(
  before: State<Message>,
  count: EndCount,
  commands: Commands<Message>,
): State<Message> {
  const { ending } = before
  const { outcome, interruption } = decideEnd(ending, count)
  const isCounted = count.kind === 'counted'
  const told = isCounted ? undoAcks(noteCount(before, count), count.depth) : before
  const settled = settleEnd(told, count)
  const undone = movedOf(before) - movedOf(settled)
  if (isCounted && undone > 0 && outcome === 'done' && before.crash.undoable > 0 && !isAtLimit(before))
    return goOnAfterCrash(settled, { undone, depth: count.depth }, commands)
  const end = nameRefusal(
    isCounted ? decideByCount(settled, { outcome, interruption }, count.depth) : { outcome, interruption },
    ending,
  )
  commands.push({ kind: 'finish', ...end })
  return { ...enterPhase(settled, 'over'), ending: { ...ending, ...end, count } }
}

/** A broker that lets this user in no more is waited for like one that is away, and is not away. */
function nameRefusal(end: End, { isRefused }: State<TakenMessage>['ending']): End {
  if (end.interruption !== 'away' || !isRefused) return end
  return { outcome: end.outcome, interruption: 'forbidden' }
}

interface End {
  readonly outcome: RedriveOutcome
  readonly interruption: Interruption | undefined
}

function decideByCount(state: State<TakenMessage>, end: End, depth: number): End {
  const { flow } = state
  // Nothing is done while the numbers do not add up.
  if (end.outcome === 'done' && depth < leftOf(state))
    return { outcome: 'interrupted', interruption: 'taken' }
  // What a lost node was to give back had been acknowledged, and is gone.
  if (end.interruption === 'node-lost' && leftOf(state) <= flow.kept + flow.failed)
    return { outcome: 'done', interruption: undefined }
  return end
}

type CountedEnd = Extract<EndCount, { kind: 'counted' }>

function noteCount<Message extends TakenMessage>(state: State<Message>, count: CountedEnd): State<Message> {
  const { counts, crash } = state
  // A queue may still count the consumer that it lost with a node.
  const others = Math.max(0, count.otherConsumers - crash.ghosts)
  const otherConsumers = Math.max(counts.otherConsumers, others)
  return { ...state, counts: { ...counts, otherConsumers, inOverLimitQueue: count.inOverLimitQueue } }
}

/**
 * More are in the queue than should be, and the broker may have crashed: this many acks count as undone. If these
 * messages are arrivals instead, they are moved as well, and the receipt is still right.
 */
function undoAcks<Message extends TakenMessage>(state: State<Message>, depth: number): State<Message> {
  const { flow, counts, crash } = state
  const unexpected = depth - (counts.present - flow.known - counts.inOverLimitQueue)
  const undone = Math.min(unexpected, crash.undoable, flow.known)
  if (undone <= 0) return state
  return {
    ...state,
    flow: { ...flow, known: flow.known - undone },
    counts: { ...counts, inDoubt: counts.inDoubt + undone },
  }
}

function isAtLimit(state: State<TakenMessage>): boolean {
  return movedOf(state) >= state.settings.limit
}

function goOnAfterCrash<Message extends TakenMessage>(
  state: State<Message>,
  { undone, depth }: { readonly undone: number; readonly depth: number },
  commands: Commands<Message>,
): State<Message> {
  const { crash, ending, pass } = state
  return tryTake(
    {
      ...enterPhase(state, 'resting'),
      crash: { ...crash, undoable: Math.max(0, crash.undoable - undone) },
      ending: { ...ending, outcome: undefined, interruption: undefined },
      pass: { ...pass, walk: 'none', returnsInMs: 0, depth },
    },
    commands,
  )
}

/** What was confirmed and could not be acknowledged does not come back from a queue that is gone. */
function settleEnd<Message extends TakenMessage>(state: State<Message>, count: EndCount): State<Message> {
  if (count.kind === 'counted') return settleDoubt(state, count)
  const { counts, pass } = state
  if (count.kind === 'uncounted' || !pass.isGone) return state
  return { ...state, counts: { ...counts, gone: counts.gone + pass.unsettled } }
}

function decideEnd(
  { outcome = 'done', interruption, stopped }: State<TakenMessage>['ending'],
  count: EndCount,
): End {
  if (count.kind === 'gone') return { outcome: 'interrupted', interruption: 'queue-deleted' }
  if (count.kind === 'uncounted' && count.isFailed)
    return { outcome: stopped ?? 'interrupted', interruption: 'failed' }
  if (count.kind === 'uncounted') {
    // A run that gave up before it could count does not report that it is done.
    if (outcome === 'done') return { outcome: stopped ?? 'cancelled', interruption }
    return { outcome, interruption }
  }
  if (count.isLocked && outcome === 'done')
    return { outcome: stopped ?? 'interrupted', interruption: interruption ?? 'locked' }
  return { outcome, interruption }
}
