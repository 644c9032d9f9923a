import { lookAtQueue, openUnprovedManagement, Session, startRedrive } from 'warrenmq/operations'
import { measure, task } from './participant.mjs'

// What a filtered re-drive has to do at least, in two steps: look at all messages, and move as many from the head.
const { url, managementUrl, queue, target, messages } = task
const consuming = await Session.open(url, { name: 'bench warren consuming' })
const publishing = await Session.open(url, { name: 'bench warren publishing' })
const management = openUnprovedManagement(managementUrl)

await measure(async () => {
  const broker = { consuming, publishing, management, queue, by: 'bench', acceptDeliveryLimit: true }
  const report = await lookAtQueue({ ...broker, onMessage: () => {} })
  if (report.seen !== messages) throw new Error(JSON.stringify(report))
  const to = { kind: 'queue', queue: target }
  const limit = Math.ceil(messages / 20)
  const receipt = await startRedrive({ ...broker, to, limit }).receipt
  if (receipt.moved !== limit || !receipt.isBalanced) throw new Error(JSON.stringify(receipt))
})
management.close()
await Promise.all([consuming.close(), publishing.close()])
