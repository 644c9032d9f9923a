import type { ReactNode } from 'react'
import type { Schemas } from '../api/api.ts'
import { Notice } from '../parts/notice.tsx'
import { LookProblem } from '../queue/look-problem.tsx'
import { formatCount, formatCounted } from '../words/format-count.ts'
import { sayKeepReason } from './say-keep-reason.ts'

/** What the server says that it would do, with the proof that every route leads somewhere. */
export function PlanPanel({
  queue,
  plan,
  error,
  isPlanning,
  depth,
  isOld,
  onPlan,
  children,
}: {
  readonly queue: string
  readonly plan: Schemas['RedrivePlan'] | undefined
  readonly error: Error | null
  readonly isPlanning: boolean
  /** How many messages the queue holds, if that is known: each is read. */
  readonly depth: number | null
  /** The settings were changed since. */
  readonly isOld: boolean
  /** Undefined: the reader may not. */
  readonly onPlan: (() => void) | undefined
  readonly children: ReactNode
}): ReactNode {
  return (
    <section
      aria-label="Plan"
      className="flex flex-col gap-4 self-start rounded-lg border border-line bg-panel p-4"
    >
      <div className="flex items-baseline gap-3">
        <h2 className="font-semibold">Plan</h2>
        {onPlan && (
          <button type="button" className="ml-auto text-accent hover:underline" onClick={onPlan}>
            Plan again
          </button>
        )}
      </div>
      {isOld && <Notice tone="warn">The settings have changed. Plan again to see what they would do.</Notice>}
      {isPlanning && (
        <p role="status" className="text-quiet">
          {depth === null
            ? 'Reading every message of the queue'
            : `Reading ${formatCounted(depth, 'message')}`}{' '}
          to see what would move…
        </p>
      )}
      {error && !isPlanning && <LookProblem queue={queue} error={error} isRefusal />}
      {plan && !isPlanning && <PlanText plan={plan} isOld={isOld} />}
      <div className="flex flex-col items-start gap-3">{children}</div>
    </section>
  )
}

function PlanText({
  plan,
  isOld,
}: {
  readonly plan: Schemas['RedrivePlan']
  readonly isOld: boolean
}): ReactNode {
  const { moving, present, seen, isWhole, targets, keeping, refusals, missing, needsApproval } = plan
  return (
    <div className={`flex flex-col gap-4 ${isOld ? 'opacity-60' : ''}`}>
      <p className="text-base">
        <span className="num font-semibold">{formatCount(moving)}</span> of{' '}
        <span className="num">{formatCounted(present, 'message')}</span> would move.
      </p>
      {missing > 0 && (
        <Notice tone="warn">
          {formatCounted(missing, 'selected message')} {missing === 1 ? 'is' : 'are'} no longer there.
        </Notice>
      )}
      {needsApproval && (
        <Notice tone="plain">A second person must approve before this many messages move.</Notice>
      )}
      {!isWhole && (
        <Notice tone="warn">
          Only {formatCounted(seen, 'message')} could be looked at in time; more may move.
        </Notice>
      )}
      {targets.map((target) => (
        <Target key={`${target.target} ${target.why}`} target={target} />
      ))}
      {keeping.length > 0 && (
        <div>
          <h3 className="mb-1 text-quiet">Stay in the queue</h3>
          <ul className="flex flex-col gap-0.5">
            {keeping.map(({ reason, count }) => (
              <li key={reason} className="flex items-baseline gap-3 pl-3">
                <span className="foreign min-w-0 flex-1">{sayKeepReason(reason)}</span>
                <span className="num">{formatCount(count)}</span>
              </li>
            ))}
          </ul>
        </div>
      )}
      {refusals.map((refusal) => (
        <Notice key={refusal} tone="bad">
          {refusal}
        </Notice>
      ))}
      <div className="text-xs text-quiet">
        <p className="font-mono break-all">plan {plan.digest}</p>
        <p>The button does this plan and no other. The command line prints the same digest.</p>
      </div>
    </div>
  )
}

/** The server tells the way as `"a" to "b"`, or in a sentence where it leads nowhere. */
function sayFailure(way: string): string {
  return / to "/.test(way) ? `If it fails again, it goes from ${way}.` : `If it fails again: ${way}.`
}

function Target({ target: each }: { readonly target: Schemas['PlannedTarget'] }): ReactNode {
  const { target, count, why, queues, secondFailure, keyChanges } = each
  return (
    <div className="border-l-2 border-good pl-3">
      <p className="flex items-baseline gap-3">
        <span className="foreign min-w-0 flex-1 font-medium">{target}</span>
        <span className="num font-medium">{formatCount(count)}</span>
      </p>
      <p className="foreign text-quiet">known by {why}</p>
      {queues.length > 0 && <p className="foreign text-good">Route proved: reaches {queues.join(', ')}</p>}
      <p className="foreign text-quiet">
        {secondFailure === null
          ? 'What happens to a message that fails again is not known.'
          : sayFailure(secondFailure)}
      </p>
      {keyChanges > 0 && (
        <p className="text-quiet">
          {formatCounted(keyChanges, 'message')} had another routing key; the header x-original-routing-key
          keeps it.
        </p>
      )}
    </div>
  )
}
