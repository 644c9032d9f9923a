import { createCauseGroups, lookAtQueue, openUnprovedManagement, Session } from 'warrenmq/operations'
import { measure, task } from './participant.mjs'

// The whole of `warren dlq causes`: lock, limit, every message read and grouped, all given back, counted.
const { url, managementUrl, queue, messages } = task
const consuming = await Session.open(url, { name: 'bench warren consuming' })
const publishing = await Session.open(url, { name: 'bench warren publishing' })
const management = openUnprovedManagement(managementUrl)

await measure(async () => {
  const groups = createCauseGroups()
  const onMessage = groups.add
  const report = await lookAtQueue({ consuming, publishing, management, queue, by: 'bench', onMessage })
  const grouped = groups.list().reduce((sum, { count }) => sum + count, 0)
  if (report.seen !== messages || grouped !== messages) throw new Error(JSON.stringify(report))
})
management.close()
await Promise.all([consuming.close(), publishing.close()])
