import type { AddRoutes } from '../api-context.ts'
import { endpoints } from '../contract/endpoints.ts'
import { redriveMessage } from '../redrives/request-edit.ts'

/** One message put back, changed on its way if that is asked for. */
export const addEditRoutes: AddRoutes = (add, context) => {
  add(endpoints.editMessage, async (call) => {
    const { queue, key } = call.params
    const { body, headers, ...how } = call.body
    const edit = { ...(body !== undefined && { body }), ...(headers && { headers }) }
    const isEdit = body !== undefined || headers !== undefined
    const request = { queue, ...how, ...(isEdit && { edit }) }
    const task = await redriveMessage(context, call, { key, request })
    call.reply.header('location', `/api/v1/tasks/${task.id}`)
    return task
  })
}
