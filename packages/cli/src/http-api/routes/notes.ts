import { ApiError } from 'warrenmq/operations'
import type { AddRoutes } from '../api-context.ts'
import { writeAudit } from '../audit/write-audit.ts'
import { endpoints } from '../contract/endpoints.ts'
import { isEnded } from '../tasks/task-state.ts'
import { visibleTask } from '../tasks/visible-tasks.ts'

export const addNoteRoutes: AddRoutes = (add, context) => {
  const { notes } = context

  add(
    endpoints.listNotes,
    async ({ caller }) => ({ items: notes.visibleTo(caller) }),
    () => notes.edition,
  )

  add(endpoints.writeNote, async ({ params: { queue }, body: { text }, caller, request }) => {
    await writeAudit(context, { caller, request }, { action: 'note', target: queue, reason: text })
    return notes.write({ about: 'queue', queue, task: null, text, by: caller.name })
  })

  add(endpoints.removeNote, async ({ params: { queue }, caller, request }) => {
    await writeAudit(context, { caller, request }, { action: 'note.remove', target: queue })
    await notes.remove(queue)
    return undefined
  })

  add(endpoints.acknowledgeTask, async ({ params: { id }, body: { text = '' }, caller, request }) => {
    const { queue, state } = visibleTask(context, id, caller)
    if (!isEnded(state)) {
      const message = `The task ${id} is ${state}. Acknowledge it when it has ended.`
      throw new ApiError({ code: 'API_TASK_NOT_ENDED', message })
    }
    const reason = text === '' ? null : text
    await writeAudit(
      context,
      { caller, request },
      { action: 'task.acknowledge', target: queue, reason, result: id },
    )
    return notes.write({ about: 'task', queue, task: id, text, by: caller.name })
  })
}
