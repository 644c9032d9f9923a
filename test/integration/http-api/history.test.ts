import { expect, it, onTestFinished } from 'vitest'
import type { DepthHistory, HistoryList } from '../../../packages/cli/src/http-api/contract/contract.ts'
import { noSamples } from '../../../packages/cli/src/http-api/history/history.ts'
import { createSampleReader } from '../../../packages/cli/src/http-api/history/read-broker-samples.ts'
import { openManagement } from '../../../packages/warrenmq/src/broker/management/open-management.ts'
import { eventually } from '../../support/eventually.ts'
import { setUpApi } from './api-rig.ts'
import { useApiBroker } from './use-api-broker.ts'

const broker = await useApiBroker()
const { headers } = broker
const server = { history: { every: '50ms', keep: '1h' } }

it('the depth of a queue over time is remembered, with how fast it grew', async () => {
  const rig = await setUpApi({ ...broker, server })
  await rig.declareDlq('grown.dlq')
  const read = async (query = '') =>
    (await rig.app.inject({ url: `/api/v1/dlqs/grown.dlq/history${query}`, headers })).json<DepthHistory>()
  await eventually(async () => expect((await read()).points.at(-1)?.messages).toBe(0))

  await rig.publish([1, 2, 3].map((body) => ({ key: 'grown.dlq', body })))
  const { points } = await eventually(async () => {
    const history = await read()
    expect(history.points.at(-1)?.messages).toBe(3)
    return history
  })
  const few = await read('?points=2')

  expect(points[0]?.perSecond).toBeNull()
  expect(points.some(({ perSecond }) => perSecond !== null && perSecond > 0)).toBe(true)
  expect(points.map(({ at }) => at)).toEqual(points.map(({ at }) => at).toSorted())
  expect(few.points.length).toBeLessThanOrEqual(2)
  const list = (await rig.app.inject({ url: '/api/v1/history', headers })).json<HistoryList>()
  expect(list.everySeconds).toBe(0.05)
  expect(list.items.map(({ queue }) => queue)).toContain('grown.dlq')
})

it('a queue that is no dead-letter queue has no history', async () => {
  const rig = await setUpApi({ ...broker, server })

  const answer = await rig.app.inject({ url: '/api/v1/dlqs/nowhere/history', headers })

  expect(answer.statusCode).toBe(404)
})

it('a broker that does not tell what it remembers is not asked again and again, and breaks nothing', async () => {
  const errors: unknown[] = []
  const management = openManagement('http://127.0.0.1:1')
  onTestFinished(() => management.close())
  const read = createSampleReader({ management, vhost: '/', onError: (error) => void errors.push(error) })

  const told = [await read('a.dlq'), await read('b.dlq')]

  expect(told).toEqual([noSamples, noSamples])
  expect(errors).toHaveLength(1)
})
