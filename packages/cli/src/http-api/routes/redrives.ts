import { previewRedrive } from 'warrenmq/operations'
import type { AddRoutes } from '../api-context.ts'
import { endpoints } from '../contract/endpoints.ts'
import { lookInTurn } from '../dlqs/look-at-dlq.ts'
import { redriveOptions } from '../redrives/redrive-options.ts'
import { requestRedrive } from '../redrives/request-redrive.ts'
import { verifyQueueReceipt } from '../redrives/verify-queue-receipt.ts'

export const addRedriveRoutes: AddRoutes = (add, context) => {
  add(endpoints.planRedrive, async ({ body, caller, reply }) => {
    const options = redriveOptions(context, body, caller)
    const plan = await lookInTurn(context, { queue: body.queue, caller, reply }, (limits) =>
      previewRedrive({ ...options, ...limits }),
    )
    const targets = plan.targets.map((each) => ({ ...each, secondFailure: each.secondFailure ?? null }))
    return { ...plan, targets }
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
