import { afterAll, expect, onTestFinished, test } from 'vitest'
import type { RedrivePlan, Task } from '../../../packages/cli/src/http-api/contract/contract.ts'
import { connect, defineTopology } from '../../../packages/warrenmq/src/index.ts'
import { startEmbeddedBroker } from '../../../packages/warrenmq/src/testing.ts'
import { eventually } from '../../support/eventually.ts'
import { basic, setUpApi } from '../http-api/api-rig.ts'

const broker = await startEmbeddedBroker()
afterAll(() => broker.stop())
let number = 0

/** A dead letter that says nothing of where it was, but what it is. */
async function setup() {
  number += 1
  const work = `work-${number}` as const
  const dlq = `${work}.dlq`
  const recovery = { queues: [dlq], types: { OrderPlaced: work } }
  const topology = defineTopology({
    queues: { [work]: { retry: { delays: [20], maxAttempts: 2 } } },
    recovery,
  })
  const warren = await connect(broker.url, { topology, managementUrl: broker.managementUrl })
  onTestFinished(() => warren.close())
  await warren.apply()
  await warren
    .publisher()
    .publish({ key: dlq, body: 'lost its way', headers: { MessageType: 'OrderPlaced' } })
  return { warren, topology, work, dlq }
}

const byType = (target: string) => ({ target, count: 1, why: 'its type, MessageType OrderPlaced' })

test('a program puts back by its type what does not say where it was', async () => {
  const { warren, work, dlq } = await setup()
  const dead = warren.deadLetters(dlq)

  const preview = await dead.preview()
  const receipt = await dead.redrive()

  expect(preview.targets).toMatchObject([byType(work)])
  expect(receipt).toMatchObject({ moved: 1, kept: 0, targets: [{ target: work, moved: 1 }] })
})

test('a server puts back by its type what does not say where it was', async () => {
  const { topology, work, dlq } = await setup()
  const { app } = await setUpApi({ ...broker, declared: topology })
  const headers = { authorization: basic('guest') }
  const ask = (url: string) => app.inject({ method: 'POST', url, headers, payload: { queue: dlq } })

  const plan = await ask('/api/v1/redrives/plan')
  const { id } = (await ask('/api/v1/redrives')).json<Task>()

  expect(plan.json<RedrivePlan>().targets).toMatchObject([byType(work)])
  await eventually(async () => {
    const task = await app.inject({ url: `/api/v1/tasks/${id}`, headers })
    expect(task.json<Task>()).toMatchObject({ state: 'done', progress: { moved: 1, kept: 0 } })
  })
})
