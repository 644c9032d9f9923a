import type { ReactNode } from 'react'
import type { Schemas } from '../api/api.ts'
import { Notice, ProblemNotice } from '../parts/notice.tsx'
import { formatCount, formatCounted } from '../words/format-count.ts'
import { sayKeepReason } from './say-keep-reason.ts'

/** What the server says that it would do, with the proof that every route leads somewhere. */
export function PlanPanel({
  plan,
  error,
  isPlanning,
  isOld,
  onPlan,
  children,
}: {
  readonly plan: Schemas['RedrivePlan'] | undefined
  readonly error: Error | null
  readonly isPlanning: boolean
  /** The settings were changed since. */
  readonly isOld: boolean
  readonly onPlan: () => void
  readonly children: ReactNode
}): ReactNode {
  return (
    <section
      aria-label="Plan"
      className="flex flex-col gap-4 self-start rounded-lg border border-line bg-panel p-4"
    >
      <div className="flex items-baseline gap-3">
        <h2 className="font-semibold">Plan</h2>
        <button type="button" className="ml-auto text-accent hover:underline" onClick={onPlan}>
          Plan again
        </button>
      </div>
      {isOld && <Notice tone="warn">The settings have changed. Plan again to see what they would do.</Notice>}
      {isPlanning && (
        <p role="status" className="text-quiet">
          Reading every message of the queue…
        </p>
      )}
      {error && !isPlanning && <ProblemNotice error={error} />}
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
              <li key={reason} className="flex gap-3">
                <span className="num w-16 text-right">{formatCount(count)}</span>
                <span className="foreign text-quiet">{sayKeepReason(reason)}</span>
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
      <p
        className="truncate font-mono text-xs text-faint"
        title={`${plan.digest}\nThe button does this plan and no other. The command line prints the same for the same request.`}
      >
        plan {plan.digest}
      </p>
    </div>
  )
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
          : `If it fails again: ${secondFailure}.`}
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
