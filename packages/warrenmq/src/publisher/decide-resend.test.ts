import { expect, it } from 'vitest'
import { ChannelError, ConnectionError } from '../errors.ts'
import { noProperties } from '../wire/properties.ts'
import { decideResend } from './decide-resend.ts'

const to = (exchange: string, messageId?: string, lostConnections = 1) => {
  const message = { exchange, key: 'a', properties: noProperties, body: Buffer.alloc(0), messageId }
  return { message, lostConnections }
}
const unanswered = [to('orders', '1'), to('typo', '2'), to('', '3'), to('orders')]

const closed = (replyCode: number, replyText: string) =>
  new ChannelError({ code: 'CHANNEL_CLOSED_BY_BROKER', message: replyText, replyCode, replyText })
const lost = new ConnectionError({ code: 'CONNECTION_LOST', message: 'The connection was lost.' })
const notFound = closed(404, "NOT_FOUND - no exchange 'typo' in vhost '/'")
const refused = closed(403, "ACCESS_REFUSED - access to exchange 'orders' in vhost '/' refused for user 'a'")

it.each([
  ['a lost connection', lost, ['1', '2', '3']],
  ['an exchange that does not exist', notFound, ['1', '3']],
  ['an exchange that is closed to the user', refused, ['2', '3']],
  ['an exchange that no publish names', closed(404, "NOT_FOUND - no exchange 'other' in vhost '/'"), []],
  ['a part of a name', closed(404, "NOT_FOUND - no exchange 'typo 2' in vhost '/'"), []],
  ['a name that is cut off', closed(404, "NOT_FOUND - no exchange 'typo"), []],
  ['the default exchange', closed(403, "ACCESS_REFUSED - access to exchange 'amq.default' in vhost '/'"), []],
  ['a fault that names no exchange', closed(406, "PRECONDITION_FAILED - user_id property set to 'a'"), []],
  ['another code', closed(406, "PRECONDITION_FAILED - no exchange 'typo' in vhost '/'"), []],
  ['the end of the publisher', undefined, []],
])('after %s only those are sent again that are not at fault and have an id', (_, error, again) => {
  const mayResend = decideResend(unanswered, error)

  expect(unanswered.filter(mayResend).map(({ message }) => message.messageId)).toEqual(again)
})

it('what was on the wire at two lost connections may be why, and is not sent a third time', () => {
  const mayResend = decideResend(unanswered, lost)

  expect([to('orders', '1', 1), to('orders', '2', 2), to('orders', '3', 3)].map(mayResend)).toEqual([
    true,
    false,
    false,
  ])
})
