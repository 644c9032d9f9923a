import { Session } from '../../../src/broker/amqp/session.ts'
import { startRedrive } from '../../../src/recovery/redrive.ts'

// A re-drive in a process of its own, for tests that kill it. Says when it has begun to move.
const { url, queue, window } = JSON.parse(process.argv[2]!) as { url: string; queue: string; window: number }
const consuming = await Session.open(url)
const publishing = await Session.open(url)
let hasBegun = false
const onProgress = (): void => {
  if (!hasBegun) process.stdout.write('moving\n')
  hasBegun = true
}
await startRedrive({ consuming, publishing, queue, by: 'child', window: { messages: window }, onProgress })
  .receipt
await Promise.all([consuming.close(), publishing.close()])
