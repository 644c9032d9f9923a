import { expect, it, onTestFinished } from 'vitest'
import type { DlqList, QueueTrafficList } from '../../../packages/cli/src/http-api/contract/contract.ts'
import { declareQueue } from '../../../packages/warrenmq/src/broker/amqp/declarations.ts'
import { startEmbeddedBroker } from '../../../packages/warrenmq/src/testing.ts'
import { basic, setUpApi } from './api-rig.ts'
import { listenIn } from './listen-in.ts'

const most = 10_000

/** The broker, the server and who asks share one process here, and on a busy machine it has its turn seldom. */
const patienceMs = 600_000

it(
  'shows 10,000 queues in one answer, by one request to the broker for all of them',
  async () => {
    const broker = await startEmbeddedBroker({ profile: '4.3', clock: 'real' })
    onTestFinished(() => broker.stop())
    const { url: managementUrl, asked } = await listenIn(broker.managementUrl)
    const rig = await setUpApi({ url: broker.url, managementUrl })
    const channel = await rig.consuming.openChannel()
    const names = Array.from({ length: most }, (_, at) => `many.${at}.dlq`)
    await Promise.all(names.map((queue) => declareQueue(channel, { queue })))
    await rig.publish([{ key: 'many.9999.dlq', body: 1 }])
    const headers = { authorization: basic('guest') }
    asked.length = 0

    const answer = await rig.app.inject({ url: '/api/v1/queues', headers })

    expect(answer.statusCode, answer.body.slice(0, 500)).toBe(200)
    const { items } = answer.json<QueueTrafficList>()
    expect(items.filter(({ isDlq }) => isDlq)).toHaveLength(most)
    expect(items.find(({ queue }) => queue === 'many.9999.dlq')).toMatchObject({ ready: 1, consumers: 0 })
    expect(asked.filter((path) => path.includes('message_stats'))).toHaveLength(1)
    const { items: dlqs } = (await rig.app.inject({ url: '/api/v1/dlqs', headers })).json<DlqList>()
    expect(dlqs).toHaveLength(most)
  },
  patienceMs,
)
