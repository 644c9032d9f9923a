import { expect, it } from 'vitest'
import { ChannelError, PublishError, type WarrenError } from '../errors.ts'
import { largestTaken } from './largest-taken.ts'

const closedWith = (replyText: string) =>
  new ChannelError({ code: 'CHANNEL_CLOSED_BY_BROKER', message: replyText, replyCode: 406, replyText })

it.each<[string, WarrenError, number | undefined]>([
  [
    'a size over the configured one',
    closedWith('PRECONDITION_FAILED - message size 20971520 is larger than configured max size 16777216'),
    16_777_216,
  ],
  [
    'a size over the one that there can be',
    closedWith('PRECONDITION_FAILED - message size 600000000 is larger than max size 536870912'),
    536_870_912,
  ],
  [
    'another precondition',
    closedWith('PRECONDITION_FAILED - user_id property set to "a" but user was "b"'),
    undefined,
  ],
  ['no answer', new PublishError('PUBLISH_DEADLINE'), undefined],
])('a channel that is closed over %s tells the largest body that is taken, if any', (_, cause, bytes) => {
  expect(largestTaken({ kind: 'unknown', messageId: 'm1', wasSent: true, cause })).toBe(bytes)
})

it('a message that was taken or refused says nothing about sizes', () => {
  expect(largestTaken({ kind: 'nacked', messageId: 'm1', mayBeDuplicate: false })).toBeUndefined()
})
