import { type Metric, renderMetrics } from 'warrenmq/operations'
import type { AddRoutes, ApiContext } from '../api-context.ts'
import type { Caller } from '../auth/caller.ts'
import { mayReadQueue } from '../auth/may-read-queue.ts'
import { endpoints } from '../contract/endpoints.ts'
import { taskStates } from '../contract/tasks.ts'

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
    const obstacle = obstacleOf(context)
    await reply
      .code(obstacle === undefined ? 200 : 503)
      .type('text/plain')
      .send(`${obstacle ?? 'ready'}\n`)
    return undefined
  })

  add(endpoints.metrics, async ({ caller, reply }) => {
    const metrics = [
      ...[await depths(context, caller), tasksByState(context), strayRecords(context)],
      ...requests(context, answered),
    ]
    await reply.type('text/plain; version=0.0.4').send(renderMetrics(metrics))
    return undefined
  })
}

/** Why nobody can be served; undefined where they can. */
function obstacleOf({ broker: { consuming, publishing }, slots }: ApiContext): string | undefined {
  if (!consuming.connection || !publishing.connection) return 'the broker is not reachable'
  return slots.isStuck ? 'all requests that can run at once are stuck' : undefined
}

async function depths({ broker, dlqs }: ApiContext, caller: Caller): Promise<Metric> {
  const readable = (await dlqs.list()).filter(({ queue }) => mayReadQueue(caller, queue))
  const samples = readable.map(async ({ queue }) => {
    const value = await dlqs.count(queue)
    // Of a queue that is gone nobody knows that it is empty.
    return value === null ? [] : [{ labels: { vhost: broker.vhost, queue }, value }]
  })
  return {
    name: 'warren_dead_letters',
    help: 'Messages ready in a dead-letter queue.',
    type: 'gauge',
    samples: (await Promise.all(samples)).flat(),
  }
}

function tasksByState({ tasks }: ApiContext): Metric {
  const all = tasks.list().filter(({ isSigned }) => isSigned)
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

function strayRecords({ strays }: ApiContext): Metric {
  return {
    name: 'warren_stray_records_total',
    help: "Records in Warren's streams that no server with our key has written.",
    type: 'counter',
    samples: strays.counts().map(({ count: value, ...labels }) => ({ labels, value })),
  }
}

function requests({ slots }: ApiContext, answered: ReadonlyMap<string, number>): readonly Metric[] {
  return [
    {
      name: 'warren_http_requests_total',
      help: 'Requests answered, by the class of their status.',
      type: 'counter',
      samples: [...answered].map(([status, value]) => ({ labels: { status }, value })),
    },
    {
      name: 'warren_http_requests_under_way',
      help: 'Requests being answered, including this one.',
      type: 'gauge',
      samples: [{ labels: {}, value: slots.taken }],
    },
  ]
}
