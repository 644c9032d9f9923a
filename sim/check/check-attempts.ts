import type { Account } from '../actors/ledger.ts'
import { defaultPoisonLimit, type Scenario } from '../actors/scenario.ts'
import type { Evidence } from './evidence.ts'
import { readQueues } from './queue-contents.ts'

/** Attempts are counted from 1, one after the other, and none comes behind the last. */
export function checkAttempts(evidence: Evidence): void {
  const { ledger, flow, violate, broker, scenario } = evidence
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
    if (account && !isRightlyDead(account, most) && !mayBeTakenForPoison(scenario))
      violate('attempts', `${id} is dead without a reason: ${JSON.stringify(account.runs)}`)
  }
}

function isRightlyDead({ plan, runs }: Account, most: number): boolean {
  return (
    plan.isBroken ||
    plan.steps.includes('die') ||
    runs.some(({ result, attempt }) => result === 'reject' || (result === 'throw' && attempt >= most))
  )
}

/**
 * What ends a process while the answer of a message that has just run alone is on its way counts against that one, too.
 * It takes as many such accidents as the limit says: with a low one they happen.
 */
function mayBeTakenForPoison({ poisonLimit, messages }: Scenario): boolean {
  return poisonLimit < defaultPoisonLimit && messages.some(({ steps }) => steps.includes('die'))
}
