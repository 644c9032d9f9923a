import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { ApiProblem } from '../api/api-problem.ts'
import { Notice, ProblemNotice } from '../parts/notice.tsx'
import { useWorkingRedrive } from '../tasks/use-working-redrive.ts'

/** Why the queue cannot be looked at. That a re-drive works on it is no fault, and its page says how far it is. */
export function LookProblem({
  queue,
  error,
  onRetry,
  isRefusal = false,
}: {
  readonly queue: string
  readonly error: Error
  readonly onRetry?: () => void
  /** It is the answer to what the reader wanted to do. */
  readonly isRefusal?: boolean
}): ReactNode {
  const working = useWorkingRedrive(queue)
  if (!working || !(error instanceof ApiProblem) || error.code !== 'RECOVERY_LOCKED')
    return <ProblemNotice error={error} {...(mayHelp(error) && onRetry && { onRetry })} />
  const wayOn = (
    <Link to="/tasks/$id" params={{ id: working.id }} className="font-medium underline">
      See the re-drive
    </Link>
  )
  if (isRefusal) return <ProblemNotice error={error} wayOn={wayOn} />
  return (
    <Notice tone="warn" action={wayOn}>
      A re-drive by <bdi>{working.by}</bdi> is working on this queue
      {working.state === 'paused' && ' and is paused'}. The queue can be looked at when it is done.
    </Notice>
  )
}

/** What was asked wrongly is wrong the second time, too. */
function mayHelp(error: Error): boolean {
  return !(error instanceof ApiProblem) || error.status !== 400
}
