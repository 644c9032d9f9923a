import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from '../../../packages/warrenmq/src/index.ts'

const task = JSON.parse(process.argv[2]!) as {
  readonly url: string
  readonly managementUrl: string
  readonly source: string
  readonly target: string
  readonly prefetch: number
}
process.on('disconnect', () => process.exit(1))
process.on('message', () => process.exit(0))

// One re-drive after the other, since each moves what was there when it began.
const warren = await connect(task.url, {
  managementUrl: task.managementUrl,
  heartbeatSeconds: 2,
  waitForBroker: '5m',
  backoff: { initial: '50ms', max: '500ms' },
})
for (;;) {
  await warren
    .deadLetters(task.source)
    .redrive({
      to: { queue: task.target },
      by: 'warren',
      wait: '1m',
      acceptDeliveryLimit: true,
      window: { messages: task.prefetch },
    })
    .catch(() => undefined)
  await sleep(200)
}
