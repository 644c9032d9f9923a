import { openUnprovedManagement, Session, startRedrive } from 'warrenmq/operations'
import { measure, task } from './participant.mjs'

// The whole of it: lock, route proof, mandatory publishes, audit headers, count at the end, receipt.
const { url, managementUrl, queue, target, messages } = task
const consuming = await Session.open(url, { name: 'bench warren consuming' })
const publishing = await Session.open(url, { name: 'bench warren publishing' })
const management = openUnprovedManagement(managementUrl)

await measure(async () => {
  const to = { kind: 'queue', queue: target }
  // The bench makes its queues with the broker's own defaults, so on 4.x they have a delivery limit.
  const task = { consuming, publishing, management, queue, to, by: 'bench', acceptDeliveryLimit: true }
  const receipt = await startRedrive(task).receipt
  if (receipt.moved !== messages || !receipt.isBalanced) throw new Error(JSON.stringify(receipt))
})
management.close()
await Promise.all([consuming.close(), publishing.close()])
