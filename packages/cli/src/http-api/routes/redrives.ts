import type { IncomingMessage } from 'warrenmq/operations'
import type { AddRoutes } from '../api-context.ts'
import { needsApproval } from '../approvals/approval-rule.ts'
import { endpoints } from '../contract/endpoints.ts'
import { compareWithSnapshot } from '../redrives/compare-with-snapshot.ts'
import { planOf } from '../redrives/hold-to-plan.ts'
import { redriveOptions } from '../redrives/redrive-options.ts'
import { requestRedrive } from '../redrives/request-redrive.ts'
import { verifyQueueReceipt } from '../redrives/verify-queue-receipt.ts'
import { findSnapshot } from '../snapshots/find-snapshot.ts'

export const addRedriveRoutes: AddRoutes = (add, context) => {
  add(endpoints.planRedrive, async ({ body: { snapshot, ...request }, caller, reply }) => {
    const options = redriveOptions(context, request, caller)
    const reader = { context, caller }
    const kept = snapshot === undefined ? undefined : findSnapshot(reader, { ...request, id: snapshot })
    const nameOf = (message: IncomingMessage): string => context.nameMessage(message, caller)
    const compared = kept && (await compareWithSnapshot(reader, kept, { options, nameOf }))
    const plan = await planOf(context, { caller, reply }, compared?.options ?? options)
    const targets = plan.targets.map((each) => ({ ...each, secondFailure: each.secondFailure ?? null }))
    return {
      ...plan,
      targets,
      sinceSnapshot: compared?.differ() ?? null,
      needsApproval: needsApproval(context.settings.approval, plan.moving),
    }
  })

  add(endpoints.verifyReceipt, ({ params: { queue }, body, caller, reply }) =>
    verifyQueueReceipt(context, { queue, ...body, caller, reply }),
  )

  add(endpoints.startRedrive, async (call) => {
    const started = await requestRedrive(context, call, call.body)
    call.reply.header('location', `/api/v1/tasks/${started.id}`) // unless it is an approval: see add-route
    return started
  })
}
