import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Task } from '../../../packages/cli/src/http-api/contract/contract.ts'
import { createQueueTurns } from '../../../packages/cli/src/http-api/guards/queue-turns.ts'
import type { BoardEvents } from '../../../packages/cli/src/http-api/tasks/task-board.ts'
import type { Webhook } from '../../../packages/cli/src/http-api/webhooks/webhook-settings.ts'
import { Webhooks, type WebhooksOptions } from '../../../packages/cli/src/http-api/webhooks/webhooks.ts'
import { Session } from '../../../packages/warrenmq/src/broker/amqp/session.ts'
import { openManagement } from '../../../packages/warrenmq/src/broker/management/open-management.ts'
import { ChannelError } from '../../../packages/warrenmq/src/errors.ts'
import { createEvents } from '../../../packages/warrenmq/src/events.ts'
import { eventually } from '../../support/eventually.ts'
import { useApiBroker } from './use-api-broker.ts'

const broker = await useApiBroker()

interface Told {
  readonly id: string
  readonly event: string
  readonly queue: string
}

async function startReceiver() {
  const told: Told[] = []
  const server = createServer((request, response) => {
    void json(request).then((body) => {
      told.push(body as Told)
      response.writeHead(204).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close().closeAllConnections())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, told }
}

/** Webhooks of one server, which knows only what the test tells it. */
async function setup(count: WebhooksOptions['context']['dlqs']['count'] = async () => 0) {
  const { url, told } = await startReceiver()
  const session = await Session.open(broker.url)
  const management = openManagement(broker.managementUrl)
  const tasks = createEvents<BoardEvents>()
  const errors: unknown[] = []
  const hook: Webhook = {
    name: 'test',
    url,
    format: 'generic',
    secret: undefined,
    queues: [],
    hasSamples: false,
    on: { above: 0, growth: undefined, isNewCause: false, isTaskFinished: true },
  }
  const found = { type: 'classic', messages: 0, sources: [], knownBy: 'name' } as const
  const webhooks = new Webhooks({
    context: {
      broker: {
        consuming: session,
        publishing: session,
        management,
        vhost: broker.vhost,
        topology: undefined,
      },
      turns: createQueueTurns(),
      tasks: { refuseIfBusy: () => {}, board: { events: tasks } },
      dlqs: { list: async () => ['one.dlq', 'two.dlq'].map((queue) => ({ ...found, queue })), count },
      settings: { maskedPaths: [], lookTimeoutMs: 60_000 },
      audit: { newest: () => undefined },
    },
    settings: { everyMs: 20, retry: { attempts: 1, initialMs: 1, maxMs: 1 }, hooks: [hook] },
    onGivenUp: () => {},
    onError: (error) => void errors.push(error),
  })
  onTestFinished(async () => {
    await webhooks.close()
    await session.close()
    management.close()
  })
  return { told, errors, tasks }
}

function ended(id: string): BoardEvents['changed'] {
  const task: Task = {
    id,
    kind: 'redrive',
    state: 'interrupted',
    queue: 'a.dlq',
    by: 'ann',
    reason: null,
    host: 'one',
    startedAt: '2030-01-01T00:00:00Z',
    endedAt: null,
    movedBefore: 0,
    problem: null,
    isSigned: true,
    limit: null,
    progress: { present: 2, moved: 1, failed: 0, kept: 0 },
  }
  const asked = { kind: 'admin', limit: 1 } as const
  return { task, run: 2, server: 'gone', presence: 'gone', asked, receipt: null }
}

describe('a server that tells receivers', () => {
  it('tells of a task that ended before it had the turn, once, by a name that all servers give it', async () => {
    const { told, tasks } = await setup()

    tasks.emit('changed', ended('early'))
    await eventually(() => expect(told).toHaveLength(1))
    tasks.emit('changed', ended('early'))
    tasks.emit('changed', ended('late'))
    await eventually(() => expect(told).toHaveLength(2))

    expect(told.map(({ id, event }) => [id, event])).toEqual([
      ['early.2.interrupted', 'task.finished'],
      ['late.2.interrupted', 'task.finished'],
    ])
  })

  it('tells of a queue though the one before it cannot be looked at', async () => {
    const refused = new ChannelError({ code: 'CHANNEL_CLOSED_BY_BROKER', message: 'locked', replyCode: 405 })
    const { told, errors } = await setup(async (queue) => {
      if (queue === 'one.dlq') throw refused
      return 1
    })

    await eventually(() => expect(told).toHaveLength(1))

    expect(told[0]).toMatchObject({ event: 'dlq.above', queue: 'two.dlq' })
    expect(errors).toContain(refused)
  })
})
