import { ApiError } from 'warrenmq/operations'
import type { AddRoutes, ApiContext, Call } from '../api-context.ts'
import { writeAudit } from '../audit/write-audit.ts'
import type { Caller } from '../auth/caller.ts'
import { permissionsOf } from '../auth/decide-role.ts'
import type { Task } from '../contract/contract.ts'
import { endpoints } from '../contract/endpoints.ts'
import { mostStreams } from '../events/open-streams.ts'
import { lastIdOf, watchAccess } from '../events/watch-access.ts'
import { checkQueue } from '../guards/check-queue.ts'
import { isAskedFor } from '../lists/is-asked-for.ts'
import { pageOf } from '../lists/page-of.ts'
import { adminRedriveOptions } from '../redrives/admin-redrive.ts'
import { redriveOptions } from '../redrives/redrive-options.ts'
import { payloadRulesFor } from '../show/payload-rules.ts'
import { showReceipt } from '../show/show-receipt.ts'
import { snapshotTask } from '../snapshots/snapshot-task.ts'
import { editInterrupted } from '../tasks/edit-interrupted.ts'
import { followTask, type TaskEvent, taskEvent } from '../tasks/follow-task.ts'
import { resumeTask } from '../tasks/start-task.ts'
import { isEnded, type TaskStep } from '../tasks/task-state.ts'
import { refuseUnproved } from '../tasks/tasks.ts'
import {
  editionOfTasks,
  isSnapshotId,
  visibleSnapshot,
  visibleTask,
  visibleTasks,
} from '../tasks/visible-tasks.ts'

export const addTaskRoutes: AddRoutes = (add, context) => {
  const { tasks, streams } = context

  add(
    endpoints.listTasks,
    async ({ caller, query }) => {
      const wanted = visibleTasks(context, caller).filter(({ state, kind, queue, by }) =>
        isAskedFor({ state, kind, queue, by }, query),
      )
      return pageOf(wanted, query, { list: 'tasks', at: ({ startedAt }) => startedAt, id: ({ id }) => id })
    },
    () => editionOfTasks(context),
  )
  add(endpoints.showTask, async ({ params, caller }) => visibleTask(context, params.id, caller))
  add(endpoints.showReceipt, async ({ params, caller }) => {
    refuseReceipt(visibleTask(context, params.id, caller))
    return showReceipt(tasks.receipt(params.id), payloadRulesFor(caller, context.settings))
  })

  const steps = { pause: endpoints.pauseTask, resume: endpoints.resumeTask, cancel: endpoints.cancelTask }
  for (const [step, endpoint] of Object.entries(steps)) {
    add(endpoint, async ({ params, caller, request }) => {
      const { id, queue, state } = visibleTask(context, params.id, caller)
      if (isSnapshotId(id)) return stepSnapshot(context, { caller, request }, { id, step: step as TaskStep })
      if (step === 'resume' && state === 'interrupted') return goOn(context, { caller, request }, id)
      if (!isEnded(state))
        await writeAudit(context, { caller, request }, { action: `task.${step}`, target: queue, result: id })
      return tasks.step(id, step as TaskStep)
    })
  }

  const readEvent = createEventReader(context)
  add(endpoints.watchTask, async ({ params: { id }, caller, request, reply }) => {
    visibleTask(context, id, caller)
    if (request.method === 'HEAD') {
      await reply.type('text/event-stream').send() // it would never come to its end
      return undefined
    }
    const lastId = lastIdOf(request)
    const now = readEvent(id)
    if (now?.isLast && now.id === lastId) {
      // They have seen the end. A browser comes back after every end of a stream but this one.
      await reply.code(204).send()
      return undefined
    }
    const out = streams.open(caller, reply)
    const mayReadOn = (again: Caller): boolean => visibleTask(context, id, again).id === id
    const isRefused = watchAccess(context, { request, reply, needs: endpoints.watchTask.needs, mayReadOn })
    const isOver = (): boolean => tasks.isClosed || isRefused()
    followTask({ out, lastId, read: () => readEvent(id), isOver })
    return undefined
  })
}

/** Resumes what another server left behind, with the permissions of whoever asks for it. */
async function goOn(
  context: ApiContext,
  call: Pick<Call<unknown, unknown, unknown>, 'caller' | 'request'>,
  id: string,
): Promise<Task> {
  const { tasks } = context
  const task = tasks.get(id)
  refuseUnproved(task)
  const { queue, problem } = task
  const asked = tasks.asked(id)
  switch (asked.kind) {
    case 'redrive': {
      await checkQueue(context, call, queue)
      const options = redriveOptions(context, asked.request, call.caller)
      return resumeTask(context, call, { ...options, id, asked })
    }
    case 'admin': {
      requireAdmin(call.caller)
      const options = await adminRedriveOptions(context, { queue, limit: asked.limit }, call.caller)
      return resumeTask(context, call, { ...options, id, asked })
    }
    case 'edit':
      throw problem
        ? new ApiError({ code: 'API_EDIT_INTERRUPTED', message: problem.detail })
        : editInterrupted(queue, 'unknown')
  }
}

/** Who may not start one there may not go on with it either. */
function requireAdmin({ role }: Caller): void {
  if (permissionsOf(role).includes('dlq:admin')) return
  const message = `This was started through /admin/dlq. Resuming it needs the permission dlq:admin, which the role ${role} does not have.`
  throw new ApiError({ code: 'API_FORBIDDEN', message })
}

/** A look holds what it has seen, so it can end and not stand still. */
async function stepSnapshot(
  context: ApiContext,
  call: Pick<Call<unknown, unknown, unknown>, 'caller' | 'request'>,
  { id, step }: { readonly id: string; readonly step: TaskStep },
): Promise<Task> {
  const kept = visibleSnapshot(context, id, call.caller)!
  if (step !== 'cancel') {
    const message = `A snapshot cannot be paused or resumed. Cancel ${id}, and make a new one later.`
    throw new ApiError({ code: 'API_REQUEST_INVALID', message })
  }
  if (kept.state !== 'running') {
    const message = `The snapshot ${id} has ended (${kept.state}). DELETE erases it.`
    throw new ApiError({ code: 'API_TASK_ENDED', message })
  }
  await writeAudit(context, call, { action: 'task.cancel', target: kept.queue, result: id })
  await kept.cancel()
  return snapshotTask(kept, context.snapshots.owner)
}

function refuseReceipt({ id, kind }: Task): void {
  if (kind !== 'snapshot') return
  const message = `The task ${id} is a snapshot. It moves nothing, so it has no receipt.`
  throw new ApiError({ code: 'API_TASK_NOT_ENDED', message })
}

/** Renders the event of a task once for all who watch it. */
function createEventReader(context: ApiContext): (id: string) => TaskEvent | undefined {
  const known = new Map<string, { readonly edition: string; readonly event: TaskEvent | undefined }>()
  return (id) => {
    const edition = editionOfTasks(context)
    const found = known.get(id)
    if (found?.edition === edition) return found.event
    const task = findTask(context, id)
    const event = task && taskEvent(task)
    if (known.size >= mostStreams) known.clear()
    known.set(id, { edition, event })
    return event
  }
}

/** Whatever its reader may see; undefined where it is not known any more. */
function findTask({ tasks, snapshots }: ApiContext, id: string): Task | undefined {
  if (!isSnapshotId(id)) return tasks.find(id)
  const kept = snapshots.all().find((each) => each.id === id)
  return kept && snapshotTask(kept, snapshots.owner)
}
