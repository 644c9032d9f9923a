import { openUnprovedManagement, Session, startRedrive } from 'warrenmq/operations'
import { measure, task } from './participant.mjs'

// Every twentieth message is moved, and the others are held and given back.
const { url, managementUrl, queue, target, messages } = task
const consuming = await Session.open(url, { name: 'bench warren consuming' })
const publishing = await Session.open(url, { name: 'bench warren publishing' })
const management = openUnprovedManagement(managementUrl)

await measure(async () => {
  let seen = 0
  const select = () => seen++ % 20 === 0
  const to = { kind: 'queue', queue: target }
  const run = { consuming, publishing, management, queue, to, select, by: 'bench', acceptDeliveryLimit: true }
  const receipt = await startRedrive(run).receipt
  if (receipt.moved !== Math.ceil(messages / 20) || !receipt.isBalanced)
    throw new Error(JSON.stringify(receipt))
})
management.close()
await Promise.all([consuming.close(), publishing.close()])
