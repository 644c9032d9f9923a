import { Session } from '../../../packages/warrenmq/src/broker/amqp/session.ts'
import { startRedrive } from '../../../packages/warrenmq/src/recovery/redrive/redrive.ts'

interface Task {
  readonly consumingUrl: string
  readonly publishingUrl: string
  readonly queue: string
  readonly window: number
  readonly limit: number
  /** Says so once it has moved this many. */
  readonly tellAt: number
  /** Moves every so many only. @default all */
  readonly every?: number
}

// A re-drive in a process of its own, for tests that kill it.
const {
  consumingUrl,
  publishingUrl,
  queue,
  window,
  limit,
  tellAt,
  every = 1,
} = JSON.parse(process.argv[2]!) as Task
const consuming = await Session.open(consumingUrl)
const publishing = await Session.open(publishingUrl)
const onProgress = ({ moved }: { moved: number }): void => {
  if (moved === tellAt) process.stdout.write('moving\n')
}
// Without the management API it cannot know that the queue has no limit.
const acceptDeliveryLimit = true
const select = ({ body }: { body: unknown }): boolean => Number(String(body)) % every === 0
const task = { select, consuming, publishing, queue, acceptDeliveryLimit, by: 'child', limit, onProgress }
await startRedrive({ ...task, window: { messages: window } }).receipt
await Promise.all([consuming.close(), publishing.close()])
