import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { reject } from '../../../packages/warrenmq/src/index.ts'
import { recoveryHeaders } from '../../../packages/warrenmq/src/recovery/put-back/recovery-headers.ts'
import type { Part } from '../client-task.ts'
import { messageAt, pace } from '../plan-world.ts'

/** Handles messages as their plan says, until the end. */
export async function consume({ plan, number, warren, random, ending, note }: Part): Promise<void> {
  const { scenario } = plan
  const { concurrency, prefetch } = scenario.consumers[number - 1]!
  const consumer = await warren.consume(
    scenario.workQueue,
    async (message, { attempt }) => {
      const { id } = message.body as { id: string }
      const redrive = message.headers[recoveryHeaders.redriveId]
      note({ what: 'run', id, attempt, ...(typeof redrive === 'string' && { redrive }) })
      if (message.id !== id) throw new Error(`"${id}" arrives as "${message.id}".`)
      await sleep(random.between(1, Math.max(2, scenario.workMs * pace)))
      const { steps } = messageAt(plan, Number(id.slice(1)) - 1)
      const planned = steps[Math.min(attempt, steps.length) - 1]!
      // Here the nemesis kills the processes, and not a message.
      const step = planned === 'die' ? 'throw' : planned
      note({ what: 'end', id, step })
      if (step === 'throw') throw new Error('the gateway is away')
      if (step === 'reject') return reject('not an order')
      return undefined
    },
    {
      concurrency,
      prefetch,
      ...(scenario.isOrdered && {
        orderBy: ({ body }: { body: unknown }) => (body as { customer?: number } | undefined)?.customer,
      }),
    },
  )
  if (!ending.aborted) await once(ending, 'abort')
  await consumer.close()
}
