import type { RedrivePreview } from 'warrenmq'

/** The plans that this server has shown, so that it can say what has changed. */
export interface ShownPlans {
  note(plan: RedrivePreview): void
  find(digest: string): RedrivePreview | undefined
}

const mostPlans = 200

export function createShownPlans(): ShownPlans {
  const plans = new Map<string, RedrivePreview>()
  return {
    note: (plan) => {
      plans.delete(plan.digest)
      plans.set(plan.digest, plan)
      const [oldest] = plans.keys()
      if (plans.size > mostPlans) plans.delete(oldest!)
    },
    find: (digest) => plans.get(digest),
  }
}
