import { ApiError } from 'warrenmq/operations'
import { type EditedMessage, explainInterruptedEdit } from './count-interrupted.ts'

/** Why nobody can go on with an edit, and what to do instead. */
export function editInterrupted(queue: string, edited: EditedMessage): ApiError {
  return new ApiError({ code: 'API_EDIT_INTERRUPTED', message: explainInterruptedEdit(queue, edited) })
}
