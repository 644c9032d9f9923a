import type { Management } from '../broker/management/open-management.ts'
import { RecoveryError } from '../errors.ts'
import type { QueueFacts } from './decide-look.ts'

/** What the management API knows of a queue; without the API nothing is known. */
export async function observeQueue(
  management: Management | undefined,
  { vhost, queue }: { vhost: string; queue: string },
): Promise<QueueFacts> {
  const found = await management?.queues.find({ vhost, name: queue })
  if (management && !found) {
    throw new RecoveryError({
      code: 'RECOVERY_QUEUE_NOT_FOUND',
      message: `There is no queue "${queue}" in the vhost "${vhost}". Check the name with \`warren dlq list\`.`,
    })
  }
  return {
    type: typeOf(found?.type ?? found?.arguments['x-queue-type']),
    reportedLimit: found?.deliveryLimit,
    argumentLimit: numberOf(found?.arguments['x-delivery-limit']),
    policyLimit: numberOf(found?.effectivePolicy?.['delivery-limit']),
  }
}

function typeOf(type: unknown): QueueFacts['type'] {
  return type === 'classic' || type === 'quorum' || type === 'stream' ? type : undefined
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined
}
