import { randomUUID } from 'node:crypto'
import { ApiError, depthOf, readDeadLetter } from 'warrenmq/operations'
import type { AddRoutes } from '../api-context.ts'
import { type ApprovalRule, mostMessages, needsApproval } from '../approvals/approval-rule.ts'
import { mayReadQueue } from '../auth/may-read-queue.ts'
import type { AdminMessage } from '../contract/contract.ts'
import { endpoints } from '../contract/endpoints.ts'
import { lookAtDlq } from '../dlqs/look-at-dlq.ts'
import { adminRedriveOptions, flowsOf, knownFlows } from '../redrives/admin-redrive.ts'
import { describeBody, describeHeaders } from '../show/describe-message.ts'
import { payloadRulesFor } from '../show/payload-rules.ts'
import { startTask } from '../tasks/start-task.ts'

/** The endpoints of the isolated system, by an engine that does not lose what it takes. */
export const addAdminDlqRoutes: AddRoutes = (add, context) => {
  const { broker, tasks, settings, dlqs } = context

  add(endpoints.adminQueues, async ({ caller }) => {
    const queues = (await knownFlows(context)).map(({ deadLetterQueue }) => deadLetterQueue!)
    const readable = [...new Set(queues)].filter((queue) => mayReadQueue(caller, queue))
    const counted = readable.map(async (queue) => ({ queue, messages: await dlqs.count(queue) }))
    return { queues: await Promise.all(counted) }
  })

  add(endpoints.adminMessages, async ({ params: { queue }, query, caller, reply }) => {
    await flowsOf(context, queue)
    const rules = payloadRulesFor(caller, settings)
    const messages: AdminMessage[] = []
    await lookAtDlq(context, {
      queue,
      caller,
      reply,
      count: query.limit,
      onMessage: (message) => {
        const letter = readDeadLetter(message, 0)
        const { body } = describeBody(message, rules)
        messages.push({
          messageId: letter.id ?? null,
          type: letter.type ?? null,
          exchange: letter.exchange,
          routingKey: letter.routingKey,
          headers: describeHeaders(message, rules),
          payload: body?.text ?? null,
          payloadEncoding: body?.encoding ?? 'utf8',
        })
      },
    })
    return { queue, messages }
  })

  add(endpoints.adminRedrive, async (call) => {
    const { queue } = call.params
    const { limit = 10 } = call.body ?? {}
    const options = await adminRedriveOptions(context, { queue, limit }, call.caller)
    const depth = await depthOf(broker.consuming, queue)
    refuseLarge(settings.approval, mostMessages({ depth, limit }))
    const asked = { kind: 'admin', limit } as const
    const task = await startTask(context, call, { ...options, id: randomUUID(), asked })
    await tasks.whenEnded(task.id)
    const { moved, failed, keptBecause } = tasks.receipt(task.id)
    // Of those within the limit; the others were not asked for.
    const kept = keptBecause.filter(({ reason }) => reason !== 'over-the-limit')
    const keptCount = kept.reduce((sum, { count }) => sum + count, 0)
    return { queue, requested: limit, redriven: moved, failed, kept: keptCount, redriveId: task.id }
  })
}

function refuseLarge(rule: ApprovalRule | undefined, messages: number): void {
  if (!needsApproval(rule, messages)) return
  const message = `More than ${rule?.above} messages need a second person, and this request cannot ask one. Use POST /api/v1/redrives, or a lower limit.`
  throw new ApiError({ code: 'API_APPROVAL_NEEDED', message })
}
