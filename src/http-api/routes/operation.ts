import { type Metric, renderMetrics } from '../../consumer/render-metrics.ts'
import type { AddRoutes, ApiContext } from '../api-context.ts'
import type { Caller } from '../auth/caller.ts'
import { mayReadQueue } from '../auth/decide-access.ts'
import { endpoints } from '../endpoints.ts'
import { taskStates } from '../shapes.ts'

/** What those ask who keep the server running. */
export const addOperationRoutes: AddRoutes = (add, context, app) => {
  const answered = new Map<string, number>()
  app.addHook('onResponse', async (_request, reply) => {
    const status = `${Math.floor(reply.statusCode / 100)}xx`
    answered.set(status, (answered.get(status) ?? 0) + 1)
  })

  add(endpoints.isAlive, async ({ reply }) => {
    await reply.type('text/plain').send('alive\n')
    return undefined
  })

  add(endpoints.isReady, async ({ reply }) => {
    const { consuming, publishing } = context.line
    const isReady = consuming.connection !== undefined && publishing.connection !== undefined
    await reply
      .code(isReady ? 200 : 503)
      .type('text/plain')
      .send(isReady ? 'ready\n' : 'the broker is not there\n')
    return undefined
  })

  add(endpoints.metrics, async ({ caller, reply }) => {
    const metrics = [await depths(context, caller), tasksByState(context), requests(answered)]
    await reply.type('text/plain; version=0.0.4').send(renderMetrics(metrics))
    return undefined
  })
}

async function depths({ line, dlqs }: ApiContext, caller: Caller): Promise<Metric> {
  const readable = (await dlqs.list()).filter(({ queue }) => mayReadQueue(caller, queue))
  const samples = readable.map(async ({ queue }) => {
    const value = await dlqs.count(queue)
    // Of a queue that is gone nobody knows that it is empty.
    return value === null ? [] : [{ labels: { vhost: line.vhost, queue }, value }]
  })
  return {
    name: 'warren_dead_letters',
    help: 'Messages ready in a dead-letter queue.',
    type: 'gauge',
    samples: (await Promise.all(samples)).flat(),
  }
}

function tasksByState({ tasks }: ApiContext): Metric {
  const all = tasks.list()
  return {
    name: 'warren_tasks',
    help: 'Tasks of all servers by state.',
    type: 'gauge',
    samples: taskStates.map((state) => ({
      labels: { state },
      value: all.filter((task) => task.state === state).length,
    })),
  }
}

function requests(answered: ReadonlyMap<string, number>): Metric {
  return {
    name: 'warren_http_requests_total',
    help: 'Requests answered, by the class of their status.',
    type: 'counter',
    samples: [...answered].map(([status, value]) => ({ labels: { status }, value })),
  }
}
