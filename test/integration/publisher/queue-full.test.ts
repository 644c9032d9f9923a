import { expect, it } from 'vitest'
import { Session } from '../../../packages/warrenmq/src/broker/amqp/session.ts'
import { Publisher } from '../../../packages/warrenmq/src/publisher/publisher.ts'
import { watchTimers } from '../../faults/reconnect-leaks-watch.ts'
import { eventually } from '../../support/eventually.ts'
import { startScriptedServer } from '../broker/scripted-server.ts'

it('a publish that finds no room to wait leaves no timer behind when the session is closed', async () => {
  const { url } = await startScriptedServer(() => false)
  const timers = watchTimers()
  const session = await Session.open(url)
  const publisher = new Publisher(session, { waiting: { messages: 0 } })

  const result = await publisher.publish({ key: 'orders', body: 'before the channel is open' })
  await session.close()

  expect(result).toMatchObject({ kind: 'unknown', wasSent: false, cause: { code: 'PUBLISH_QUEUE_FULL' } })
  await eventually(() => expect(timers.count(), timers.describe()).toBe(0))
})
