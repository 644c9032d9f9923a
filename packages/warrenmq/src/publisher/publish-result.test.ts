import { expect, it } from 'vitest'
import { PublishError } from '../errors.ts'
import { mayHaveArrived, type PublishResult } from './publish-result.ts'

const messageId = 'order-42'
const cause = new PublishError('PUBLISH_DEADLINE')
const returned = { kind: 'returned', messageId, replyCode: 312, replyText: 'NO_ROUTE' } as const

it.each<[Exclude<PublishResult, { kind: 'confirmed' }>, boolean]>([
  [{ ...returned, mayBeDuplicate: false }, false],
  [{ ...returned, mayBeDuplicate: true }, true],
  [{ kind: 'nacked', messageId, mayBeDuplicate: false }, true],
  [{ kind: 'nacked', messageId, mayBeDuplicate: true }, true],
  [{ kind: 'unknown', messageId, wasSent: false, cause }, false],
  [{ kind: 'unknown', messageId, wasSent: true, cause }, true],
])('%o may be in a queue: %s', (result, mayBe) => {
  expect(mayHaveArrived(result)).toBe(mayBe)
})
