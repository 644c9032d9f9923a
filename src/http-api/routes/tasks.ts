import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../../errors.ts'
import { adminRedriveOptions } from '../admin-redrive.ts'
import type { AddRoutes, ApiContext, Call } from '../api-context.ts'
import type { Caller } from '../auth/caller.ts'
import { permissionsOf } from '../auth/decide-role.ts'
import { mayReadQueue } from '../auth/may-read-queue.ts'
import { checkAccess } from '../check-access.ts'
import { checkQueue } from '../check-queue.ts'
import type { Task } from '../contract.ts'
import { endpoints } from '../endpoints.ts'
import { followTask, type TaskEvent, type TaskFollower, taskEvent } from '../follow-task.ts'
import { isAskedFor } from '../lists/is-asked-for.ts'
import { pageOf } from '../lists/page-of.ts'
import { payloadRulesFor } from '../payload-rules.ts'
import { problemOf } from '../problems.ts'
import { redriveOptions } from '../redrive-options.ts'
import { showReceipt } from '../show-receipt.ts'
import { editInterrupted } from '../tasks/edit-interrupted.ts'
import { resumeTask } from '../tasks/start-task.ts'
import { isEnded, type TaskStep } from '../tasks/task-state.ts'
import { refuseUnproved } from '../tasks/tasks.ts'
import { visibleTasks } from '../tasks/visible-tasks.ts'
import { writeAudit } from '../write-audit.ts'

export const addTaskRoutes: AddRoutes = (add, context) => {
  const { tasks } = context

  add(
    endpoints.listTasks,
    async ({ caller, query }) => {
      const wanted = visibleTasks(context, caller).filter(({ state, kind, queue, by }) =>
        isAskedFor({ state, kind, queue, by }, query),
      )
      return pageOf(wanted, query, { list: 'tasks', at: ({ startedAt }) => startedAt, id: ({ id }) => id })
    },
    () => tasks.edition,
  )
  add(endpoints.showTask, async ({ params, caller }) => visibleTask(context, params.id, caller))
  add(endpoints.showReceipt, async ({ params, caller }) => {
    visibleTask(context, params.id, caller)
    return showReceipt(tasks.receipt(params.id), payloadRulesFor(caller, context.settings))
  })

  const steps = { pause: endpoints.pauseTask, resume: endpoints.resumeTask, cancel: endpoints.cancelTask }
  for (const [step, endpoint] of Object.entries(steps)) {
    add(endpoint, async ({ params, caller, request }) => {
      const { id, queue, state } = visibleTask(context, params.id, caller)
      if (step === 'resume' && state === 'interrupted') return goOn(context, { caller, request }, id)
      if (!isEnded(state))
        await writeAudit(context, { caller, request }, { action: `task.${step}`, target: queue, result: id })
      return tasks.step(id, step as TaskStep)
    })
  }

  const readEvent = createEventReader(context)
  const streams = new Set<{ readonly of: string }>()
  add(endpoints.watchTask, async ({ params, caller, request, reply }) => {
    visibleTask(context, params.id, caller)
    if (request.method === 'HEAD') {
      await reply.type('text/event-stream').send() // it would never come to its end
      return undefined
    }
    const stream = { of: `${caller.wayIn} ${caller.name}` }
    const ofCaller = [...streams].filter(({ of }) => of === stream.of)
    if (streams.size >= mostStreams || ofCaller.length >= mostStreamsOfCaller) {
      const message = 'Too many progress streams are open. Poll the task instead.'
      throw new ApiError({ code: 'API_BUSY', message, retryAfterSeconds: 5 })
    }
    streams.add(stream)
    reply.raw.once('close', () => streams.delete(stream))
    const isRefused = watchAccess(context, { id: params.id, request, reply })
    const isOver = (): boolean => tasks.isClosed || isRefused()
    sendProgress(reply, { read: () => readEvent(params.id), isOver })
    return undefined
  })
}

const mostStreams = 200
const mostStreamsOfCaller = 50

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
  const message = `This was begun through /admin/dlq. To go on with it takes the permission dlq:admin, and the role ${role} has it not.`
  throw new ApiError({ code: 'API_FORBIDDEN', message })
}

/** Told as missing to whoever may not read its queue: that there is one is nobody's business. */
function visibleTask({ tasks }: ApiContext, id: string, caller: Caller): Task {
  const task = tasks.get(id)
  if (mayReadQueue(caller, task.queue)) return task
  throw new ApiError({
    code: 'API_NOT_FOUND',
    message: `There is no task ${id}. GET /api/v1/tasks lists them.`,
  })
}

/** A stream may be open for days: whoever may not open it any more is not to read on. */
function watchAccess(
  context: ApiContext,
  { id, request, reply }: { id: string; request: FastifyRequest; reply: FastifyReply },
): () => boolean {
  let isRefused = false
  const look = async (): Promise<void> => {
    try {
      visibleTask(context, id, (await checkAccess(context, request, endpoints.watchTask.needs))!)
    } catch (error) {
      // That nobody can tell now is no refusal.
      isRefused = problemOf(error).status < 500
    }
  }
  const timer = setInterval(() => void look(), context.settings.sessionRecheckMs).unref()
  reply.raw.once('close', () => clearInterval(timer))
  return () => isRefused
}

/** Renders the event of a task once for all who watch it. */
function createEventReader({ tasks }: ApiContext): (id: string) => TaskEvent | undefined {
  const known = new Map<string, { readonly edition: string; readonly event: TaskEvent | undefined }>()
  return (id) => {
    const { edition } = tasks
    const found = known.get(id)
    if (found?.edition === edition) return found.event
    const task = tasks.find(id)
    const event = task && taskEvent(task)
    if (known.size >= mostStreams) known.clear()
    known.set(id, { edition, event })
    return event
  }
}

function sendProgress(reply: FastifyReply, follow: Pick<TaskFollower, 'read' | 'isOver'>): void {
  reply.hijack()
  const { raw } = reply
  raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
  })
  followTask({ out: raw, ...follow })
}
