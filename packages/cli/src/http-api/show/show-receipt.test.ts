import { describe, expect, it } from 'vitest'
import type { Receipt as WrittenReceipt } from 'warrenmq'
import { showReceipt } from './show-receipt.ts'

const written: WrittenReceipt = {
  format: 'warren-receipt/1',
  id: 'r-1',
  queue: 'orders.dlq',
  vhost: 'shop',
  by: 'olga',
  reason: undefined,
  startedAt: '2026-01-01T00:00:00.000Z',
  endedAt: '2026-01-01T00:00:01.000Z',
  ratePerSecond: 10,
  outcome: 'done',
  present: 1,
  moved: 0,
  failed: 1,
  kept: 0,
  stillThere: 0,
  arrivals: 0,
  cameBack: 0,
  missing: 0,
  otherConsumers: 0,
  duplicatesPossible: 0,
  refreshed: 0,
  isBalanced: true,
  targets: [],
  causes: [],
  failures: [],
  keptBecause: [],
  digest: 'd',
  refusals: [],
}

const shownTo = { 'who sees all': { isShown: true }, 'who sees no bodies': { isShown: false } }

describe.each(Object.entries(shownTo))('the refusals of a receipt, for %s', (_, { isShown }) => {
  const show = (refusal: string) =>
    showReceipt({ ...written, refusals: [refusal] }, { isShown, maskedPaths: [] }).refusals

  it.each([
    [
      "The broker closed the channel: ACCESS_REFUSED - access to exchange 'x' in vhost 'v' refused for user 'warren' (403).",
      "The broker closed the channel: ACCESS_REFUSED - access to exchange 'x' in vhost 'v' refused (403).",
    ],
    [
      "ACCESS_REFUSED - write access to topic 'a.b' in exchange 'x' in vhost 'v' refused for user 'o'warren' (403).",
      "ACCESS_REFUSED - write access to topic 'a.b' in exchange 'x' in vhost 'v' refused (403).",
    ],
    [
      "PRECONDITION_FAILED - user_id property set to 'shop' but authenticated user was 'warren' (406).",
      "PRECONDITION_FAILED - user_id property set to 'shop' but authenticated user was another (406).",
    ],
    [
      'The user "warren" may not read the queue "q" at rabbit-1.internal:15672: Not monitor user. It needs a tag.',
      'The user of the server may not read the queue "q": Not monitor user. It needs a tag.',
    ],
    [
      'The management API at [::1]:15672 refused the login of "warren": Login failed.',
      'The management API refused the login of the server: Login failed.',
    ],
    [
      'The connection to 10.0.0.7:15672 was closed before an answer came: EPIPE (read the queue "q").',
      'The connection was closed before an answer came: EPIPE (read the queue "q").',
    ],
  ])('name neither the account nor a host of the server: %s', (said, shown) => {
    expect(show(said)).toEqual([shown])
  })

  it('are the words of the run where they name neither', () => {
    const said = 'There is no queue "nowhere", which the message of user 7 came from.'

    expect(show(said)).toEqual([said])
  })
})

describe('the filter of a receipt', () => {
  const show = (where: string, isShown: boolean) =>
    showReceipt({ ...written, where }, { isShown, maskedPaths: [] }).where

  it('is shown, but not one over bodies to who sees none', () => {
    expect(show('body.card:4111', true)).toBe('body.card:4111')
    expect(show('body.card:4111', false)).toBe('***')
    expect(show('type:OrderPlaced', false)).toBe('type:OrderPlaced')
  })
})
