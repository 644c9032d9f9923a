import type { Account } from '../actors/ledger.ts'
import type { Evidence } from './evidence.ts'
import { readQueues } from './queue-contents.ts'

/** Attempts are counted from 1, one after the other, and none comes behind the last. */
export function checkAttempts(evidence: Evidence): void {
  const { ledger, flow, violate, broker } = evidence
  const most = flow.maxAttempts
  for (const [id, account] of ledger.accounts) {
    const { runs } = account
    for (const [at, { attempt }] of runs.entries()) {
      if (attempt > most) violate('attempts', `${id} has attempt ${attempt} of ${most}`)
      const before = runs.slice(0, at)
      const isFounded =
        attempt === 1 || before.some((run) => run.attempt === attempt - 1 && run.result === 'throw')
      if (!isFounded)
        violate('attempts', `${id} has attempt ${attempt}, but attempt ${attempt - 1} never failed`)
    }
  }
  const dead = readQueues(broker).find(({ name }) => name === flow.deadLetterQueue)
  for (const id of dead?.ids ?? []) {
    const account = id === undefined ? undefined : ledger.accounts.get(id)
    if (account && !isRightlyDead(account, most))
      violate('attempts', `${id} is dead without a reason: ${JSON.stringify(account.runs)}`)
  }
}

function isRightlyDead({ plan, runs }: Account, most: number): boolean {
  return (
    plan.isBroken ||
    runs.some(({ result, attempt }) => result === 'reject' || (result === 'throw' && attempt >= most))
  )
}
