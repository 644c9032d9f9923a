import {
  ApiError,
  compileTopology,
  type Destination,
  observeTopology,
  type QueueFlow,
  type RedriveOptions,
  recogniseTopology,
} from 'warrenmq/operations'
import type { ApiContext } from '../api-context.ts'
import type { Caller } from '../auth/caller.ts'

/** What recovery/ is to do for a re-drive of the isolated system: the same on every server that works on it. */
export async function adminRedriveOptions(
  context: Pick<ApiContext, 'broker'>,
  { queue, limit }: { readonly queue: string; readonly limit: number },
  caller: Caller,
): Promise<RedriveOptions & { readonly limit: number }> {
  const { consuming, publishing, management } = context.broker
  const flows = await flowsOf(context, queue)
  return {
    consuming,
    publishing,
    management,
    queue,
    by: caller.name,
    flows,
    limit,
    to: wayBack(flows, queue),
  }
}

/** Of queues with a dead-letter queue: as the config declares them, else as the broker shows them. */
export async function knownFlows({ broker }: Pick<ApiContext, 'broker'>): Promise<readonly QueueFlow[]> {
  const { topology, management, vhost, consuming } = broker
  // A config may declare no queues and be there for its other settings.
  const declared = topology?.flows ?? []
  const flows =
    declared.length > 0
      ? declared
      : compileTopology(recogniseTopology(await observeTopology(management, { vhost })).topology, {
          brokerVersion: consuming.broker.version,
        }).flows
  return flows.filter(({ deadLetterQueue }) => deadLetterQueue !== undefined)
}

/** All flows, if the queue is a known dead-letter queue. Any other is refused, so that no live queue is drained. */
export async function flowsOf(
  context: Pick<ApiContext, 'broker'>,
  queue: string,
): Promise<readonly QueueFlow[]> {
  const flows = await knownFlows(context)
  if (flows.some(({ deadLetterQueue }) => deadLetterQueue === queue)) return flows
  const message = `"${queue}" is not a known dead-letter queue. GET /admin/dlq/queues lists them.`
  throw new ApiError({ code: 'API_NOT_FOUND', message })
}

/**
 * The retry exchange of the one queue that parks here, whatever a message says of itself: all that is parked in
 * `q.X.dlq` failed in `q.X`. Where several queues share it only the message can tell.
 */
function wayBack(flows: readonly QueueFlow[], queue: string): Destination {
  const [flow, ...others] = flows.filter(({ deadLetterQueue }) => deadLetterQueue === queue)
  const retry = flow?.redrive.retry
  return retry && others.length === 0 ? { kind: 'address', ...retry } : { kind: 'retry' }
}
