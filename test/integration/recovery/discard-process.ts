import { Session } from '../../../packages/warrenmq/src/broker/amqp/session.ts'
import { openManagement } from '../../../packages/warrenmq/src/broker/management/open-management.ts'
import { discardMessages } from '../../../packages/warrenmq/src/recovery/backup/discard-messages.ts'

// A discard in a process of its own, for tests that kill it.
const { url, managementUrl, queue, file } = JSON.parse(process.argv[2]!) as Record<string, string>
const consuming = await Session.open(url!)
const publishing = await Session.open(url!)
const management = openManagement(managementUrl!)
const task = { consuming, publishing, management, queue: queue!, by: 'child', file: file! }
// The lock of one that was killed goes a moment after its connection.
for (let isFree = false; !isFree; ) {
  isFree = await discardMessages(task).then(
    () => true,
    (error: { code?: string }) => {
      if (error.code !== 'RECOVERY_LOCKED') throw error
      return false
    },
  )
}
management.close()
await Promise.all([consuming.close(), publishing.close()])
