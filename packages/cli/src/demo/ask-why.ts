import type { CauseGroup } from 'warrenmq'
import { createCauseGroups, lookAtQueue, type Management } from 'warrenmq/operations'
import type { Stage } from './open-stage.ts'

export interface ParkedCauses {
  readonly queue: string
  readonly looked: number
  readonly causes: readonly CauseGroup[]
}

/** Why the messages of each queue are dead, as `warren dlq causes` tells it. */
export async function askWhy(fields: {
  readonly stage: Stage
  readonly management: Management | undefined
  readonly queues: readonly string[]
}): Promise<readonly ParkedCauses[]> {
  const { stage, management, queues } = fields
  const { consuming, publishing } = stage
  const found: ParkedCauses[] = []
  for (const queue of queues) {
    const groups = createCauseGroups()
    const { seen } = await lookAtQueue({
      consuming,
      publishing,
      queue,
      by: 'warren demo',
      onMessage: (message) => groups.add(message),
      ...(management ? { management } : { acceptDeliveryLimit: true }), // the queue was made here, without a limit
    })
    found.push({ queue, looked: seen, causes: groups.list() })
  }
  return found
}
