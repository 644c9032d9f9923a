import { expect, test } from 'vitest'
import { ChannelError } from '../../errors.ts'
import { isConnectionLost } from './is-connection-lost.ts'
import { isQueueGone } from './is-queue-gone.ts'

const closedBy = (replyCode: number, replyText: string) =>
  new ChannelError({ code: 'CHANNEL_CLOSED_BY_BROKER', message: replyText, replyCode, replyText })

test.each([
  ["NOT_FOUND - no queue 'dlq' in vhost '/'", 'gone'],
  ["NOT_FOUND - home node 'rabbit@a' of durable queue 'dlq' in vhost '/' is down or inaccessible", 'lost'],
  ["NOT_FOUND - queue 'dlq' in vhost '/' process is stopped by supervisor", 'lost'],
  ["NOT_FOUND - queue 'dlq' in vhost '/' has crashed and failed to restart", 'lost'],
  ["NOT_FOUND - failed to perform operation on queue 'dlq' in vhost '/' due to timeout", 'lost'],
  ["NOT_FOUND - no exchange 'shop' in vhost '/'", 'neither'],
])('a channel that ends with "%s" has a queue that is %s', (replyText, expected) => {
  const error = closedBy(404, replyText)

  expect([isQueueGone(error), isConnectionLost(error)]).toEqual([expected === 'gone', expected === 'lost'])
})
