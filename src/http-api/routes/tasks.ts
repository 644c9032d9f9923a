import type { FastifyReply } from 'fastify'
import { ApiError } from '../../errors.ts'
import type { AddRoutes, ApiContext, Call } from '../api-context.ts'
import type { Caller } from '../auth/caller.ts'
import { mayReadQueue } from '../auth/decide-access.ts'
import type { Task } from '../contract.ts'
import { endpoints } from '../endpoints.ts'
import { redriveOptions } from '../redrive-options.ts'
import { resumeTask } from '../tasks/start-task.ts'
import { isEnded, type TaskStep } from '../tasks/task-state.ts'
import { writeAudit } from '../write-audit.ts'

export const addTaskRoutes: AddRoutes = (add, context) => {
  const { tasks } = context

  add(endpoints.listTasks, async ({ caller }) => ({
    items: tasks.list().filter(({ queue }) => mayReadQueue(caller, queue)),
  }))
  add(endpoints.showTask, async ({ params, caller }) => visibleTask(context, params.id, caller))
  add(endpoints.showReceipt, async ({ params, caller }) => {
    visibleTask(context, params.id, caller)
    return tasks.receipt(params.id)
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

  let streams = 0
  add(endpoints.watchTask, async ({ params, caller, reply }) => {
    visibleTask(context, params.id, caller)
    if (streams >= mostStreams) {
      const message = 'Too many progress streams are open. Poll the task instead.'
      throw new ApiError({ code: 'API_BUSY', message, retryAfterSeconds: 5 })
    }
    streams += 1
    sendProgress(context, params.id, reply, () => {
      streams -= 1
    })
    return undefined
  })
}

const mostStreams = 200

/** Resumes what another server left behind, with the permissions of whoever asks for it. */
async function goOn(
  context: ApiContext,
  call: Pick<Call<unknown, unknown, unknown>, 'caller' | 'request'>,
  id: string,
): Promise<Task> {
  const asked = context.tasks.request(id)
  if (asked) return resumeTask(context, call, { ...redriveOptions(context, asked, call.caller), id })
  const message = `The task ${id} was interrupted and cannot be resumed: what was asked for is not kept. Start it again.`
  throw new ApiError({ code: 'API_TASK_ENDED', message })
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

const sendEveryMs = 250
const pingEveryMs = 15_000

/** Server-sent events: the task whenever it has changed, and a last time when it has ended. */
function sendProgress({ tasks }: ApiContext, id: string, reply: FastifyReply, onEnd: () => void): void {
  reply.hijack()
  const { raw } = reply
  raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
  })
  let sent = ''
  let sentAtMs = 0
  const send = (): void => {
    const data = JSON.stringify(tasks.get(id))
    const nowMs = Date.now()
    if (data !== sent) raw.write(`event: task\ndata: ${data}\n\n`)
    else if (nowMs - sentAtMs >= pingEveryMs) raw.write(': still there\n\n')
    else return
    sent = data
    sentAtMs = nowMs
  }
  const timer = setInterval(send, sendEveryMs)
  raw.on('close', () => {
    clearInterval(timer)
    onEnd()
  })
  send()
  void tasks.whenEnded(id).then(() => {
    if (raw.destroyed) return
    send()
    raw.end()
  })
}
