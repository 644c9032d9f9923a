import { expect, test } from 'vitest'
import { ChannelError, ConnectionError } from '../../errors.ts'
import { parseBrokerVersion } from '../../message/broker-version.ts'
import { describeLostHold } from './describe-lost-hold.ts'

const timedOut = new ChannelError({
  code: 'CHANNEL_CLOSED_BY_BROKER',
  message: 'closed',
  replyCode: 406,
  replyText:
    'PRECONDITION_FAILED - delivery acknowledgement on channel 1 timed out. Timeout value used: 60000 ms. ' +
    'This timeout value can be configured, see consumers doc guide to learn more',
})
const describe = (version: string, fields: { cause?: unknown; isCancelled?: boolean }) =>
  describeLostHold({
    queue: 'dlq',
    version: parseBrokerVersion(version),
    cause: undefined,
    isCancelled: false,
    ...fields,
  })

test.each([
  ['3.10.8', { cause: timedOut }, 'RECOVERY_HELD_TOO_LONG'],
  ['4.0.5', { cause: timedOut }, 'RECOVERY_HELD_TOO_LONG'],
  ['4.3.6', { isCancelled: true }, 'RECOVERY_HELD_TOO_LONG'],
  // Up to 4.2 a consumer is ended with the node of its queue, and not for being slow.
  ['4.0.5', { isCancelled: true }, 'RECOVERY_INTERRUPTED'],
  ['4.3.6', {}, 'RECOVERY_INTERRUPTED'],
  [
    '4.3.6',
    { cause: new ConnectionError({ code: 'CONNECTION_LOST', message: 'lost' }) },
    'RECOVERY_INTERRUPTED',
  ],
])('what ended a hold on %s is told by its code (%#)', (version, fields, code) => {
  expect(describe(version, fields).code).toBe(code)
})

test('an acknowledgement time-out is told with the time and with the ways out that the version has', () => {
  const old = describe('3.10.8', { cause: timedOut })
  const recent = describe('4.0.5', { cause: timedOut })
  const newest = describe('4.3.6', { isCancelled: true })

  expect(old.message).toContain('not acknowledged within 60000 ms.')
  expect(old.message).not.toContain('policy')
  expect(old.cause).toBe(timedOut)
  expect(recent.message).toContain('by a policy for this queue (consumer-timeout), or in rabbitmq.conf')
  expect(newest.message).toContain('not acknowledged in time. They')
})
