import { createPublisher, Session } from 'warrenmq/operations'
import { body, measure, task } from './participant.mjs'

const { url, queue, messages, window } = task
const session = await Session.open(url, { name: 'bench warren' })
const publisher = createPublisher(session, { window: { messages: window } })

await measure(async () => {
  let settled = 0
  let failed = 0
  const count = (result) => {
    settled += 1
    if (result.kind !== 'confirmed') failed += 1
  }
  for (let index = 0; index < messages; index += 1) {
    if (publisher.pendingCount >= window) await publisher.room()
    void publisher.publish({ key: queue, body }).then(count)
  }
  await publisher.idle()
  await Promise.resolve()
  if (settled !== messages || failed > 0) throw new Error(`${settled} settled, ${failed} not confirmed`)
})
await session.close()
