import type { FastifyReply } from 'fastify'
import type { Receipt } from 'warrenmq'
import { ApiError, decideVerdict, parseReceipt, RecoveryError, verifyReceipt } from 'warrenmq/operations'
import type { ApiContext } from '../api-context.ts'
import type { Caller } from '../auth/caller.ts'
import { mayReadQueue } from '../auth/may-read-queue.ts'
import type { Verification } from '../contract/contract.ts'
import { lookInTurn } from '../dlqs/look-at-dlq.ts'
import { payloadRulesFor, showsAll } from '../show/payload-rules.ts'

interface VerifyTask {
  readonly queue: string
  readonly receipt: unknown
  readonly includesTargets?: boolean
  readonly caller: Caller
  readonly reply: Pick<FastifyReply, 'raw'>
}

/** Checks a receipt of a queue again, wherever it came from. */
export async function verifyQueueReceipt(
  context: ApiContext,
  { receipt: given, includesTargets = false, ...place }: VerifyTask,
): Promise<Verification> {
  const { queue, caller } = place
  const receipt = readReceipt(given, { context, queue, caller })
  if (includesTargets) refuseTargets(receipt, caller)
  const { consuming, publishing, management } = context.broker
  const checks = await lookInTurn(context, place, (limits) =>
    verifyReceipt(receipt, {
      consuming,
      publishing,
      management,
      by: caller.name,
      includesTargets,
      ...limits,
    }),
  )
  const shown = checks.map(({ name, verdict, detail }) => ({ name, verdict, detail }))
  return { id: receipt.id, queue, verdict: decideVerdict(checks), checks: shown }
}

/**
 * Whoever is not shown payloads could write digests of bodies into a receipt until one fits, so theirs has none.
 */
function readReceipt(
  given: unknown,
  { context, queue, caller }: { context: ApiContext; queue: string; caller: Caller },
): Receipt {
  const receipt = parse(given)
  const { vhost } = context.broker
  if (receipt.queue !== queue || receipt.vhost !== vhost) {
    const message = `The receipt is for the queue "${receipt.queue}" in the vhost "${receipt.vhost}", not for "${queue}" in "${vhost}".`
    throw new ApiError({ code: 'API_REQUEST_INVALID', message })
  }
  if (showsAll(payloadRulesFor(caller, context.settings))) return receipt
  return { ...receipt, digest: null } as unknown as Receipt
}

function parse(given: unknown): Receipt {
  try {
    return parseReceipt(JSON.stringify(given))
  } catch (cause) {
    if (!(cause instanceof RecoveryError)) throw cause
    const message = `body.receipt cannot be checked. ${cause.message}`
    throw new ApiError({ code: 'API_REQUEST_INVALID', message }, { cause })
  }
}

/** They are live queues, whose consumers wait while somebody looks. */
function refuseTargets({ targets }: Receipt, caller: Caller): void {
  const closedOne = targets.find(({ target }) => !mayReadQueue(caller, target))
  if (caller.role === 'admin' && !closedOne) return
  const message = 'Only an admin who may read all the targets in RabbitMQ can search them.'
  throw new ApiError({ code: 'API_FORBIDDEN', message })
}
