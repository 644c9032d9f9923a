import { expect, it, onTestFinished } from 'vitest'
import type { Session } from '../../broker/amqp/session.ts'
import { ChannelError } from '../../errors.ts'
import { parseBrokerVersion } from '../../message/broker-version.ts'
import { OverLimitQueue } from './over-limit-queue.ts'

it('the name of a queue cannot steer the terminal that shows why no other can be made', async () => {
  const warnings: Error[] = []
  const keep = (warning: Error) => warnings.push(warning)
  process.on('warning', keep)
  onTestFinished(() => {
    process.off('warning', keep)
  })
  const queue = 'dlq\u001b[2J\r'
  const refused = new ChannelError({ code: 'CHANNEL_CLOSED_BY_BROKER', message: `No access to ${queue}.` })
  const version = parseBrokerVersion('4.0')
  const session = { openChannel: () => Promise.reject(refused) } as unknown as Session

  const isOpen = await new OverLimitQueue({ session, queue, version }).open()
  await new Promise((resolve) => setImmediate(resolve))

  expect(isOpen).toBe(false)
  expect(warnings).toHaveLength(1)
  expect(warnings[0]!.message).toContain('cannot be created: No access to dlq\\u001b[2J\\u000d.')
  expect(warnings[0]!.message).not.toMatch(/\p{Cc}/u)
})
