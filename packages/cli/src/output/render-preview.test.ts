import { describe, expect, it } from 'vitest'
import { renderPreview } from './render-preview.ts'

const preview = {
  queue: 'dlq',
  present: 20,
  matching: 10,
  moving: 3,
  seen: 20,
  areRoutesProved: true,
  isWhole: true,
  missing: 0,
  digest: '',
  targets: [
    {
      target: 'orders',
      count: 3,
      why: 'x-death',
      queues: ['orders'],
      secondFailure: 'dlq',
      keyChanges: 0,
      keysBefore: [] as string[],
    },
  ],
  keeping: [{ reason: 'origin-unknown', count: 10 } as const],
  refusals: ['There is no queue "gone".'],
}

describe('the plan of a re-drive', () => {
  it('says where messages go, and in words why others stay', () => {
    expect(renderPreview(preview)).toEqual([
      '3 of 20 messages would move out of dlq (10 match):',
      '  3 to orders (route: x-death; a second failure: dlq)',
      '  10 would stay: its origin is not known',
      '  refused: There is no queue "gone".',
    ])
  })

  it('says whose routing key changes, and where the old one is kept', () => {
    const changed = { ...preview.targets[0]!, keyChanges: 2, keysBefore: ['order.placed', 'order.paid'] }

    expect(renderPreview({ ...preview, targets: [changed] }).slice(2, 4)).toEqual([
      '    2 of these will have a different routing key there; it was "order.placed", "order.paid". The header x-original-routing-key keeps it.',
      '    With --to exchange they keep their key, and every queue that is bound to it gets them again.',
    ])
  })

  it('says how many of the chosen messages are gone', () => {
    expect(renderPreview({ ...preview, missing: 2 })).toContain(
      '  No longer in the queue: 2 of the chosen messages.',
    )
  })

  it('says that it is not of all', () => {
    expect(renderPreview({ ...preview, seen: 7, isWhole: false }).at(-1)).toBe(
      '  This is not everything: only 7 of 20 messages could be looked at.',
    )
  })
})
