import { describe, expect, it } from 'vitest'
import { compileTopology } from 'warrenmq/operations'
import { createLadder } from './ladder.ts'
import { renderCauses } from './render-causes.ts'
import { renderLadder, renderTimes } from './render-ladder.ts'
import { renderPicture } from './render-picture.ts'
import { renderCount, renderSum, renderVerdict } from './render-sum.ts'
import { declareShop, nameShop } from './shop-names.ts'

const sum = {
  confirmed: 1_000,
  delivered: 975,
  duplicates: 0,
  held: [{ queue: 'payments.dlq', role: 'dead-letter', messages: 25 }],
  addsUp: true,
} as const

describe('the picture', () => {
  it('has the way in, the delays and the dead-letter queue of every queue', () => {
    const topology = compileTopology(declareShop(nameShop('x.'), ['5s', '30m']), { brokerVersion: '4.3' })

    expect(renderPicture(topology).slice(0, 4)).toEqual([
      'x.shop ── order.placed ──▶ x.payments ─ fails ─▶ waits 5s, 30m ─▶ back',
      '                           └─────────── gives up ─▶ x.payments.dlq',
      'x.shop ── order.paid ────▶ x.shipping ─ fails ─▶ waits 5s, 30m ─▶ back',
      '                           └─────────── gives up ─▶ x.shipping.dlq',
    ])
  })
})

describe('the sum', () => {
  it('names every place that holds something', () => {
    expect(renderSum(sum)).toBe('1,000 = 975 delivered + 25 in payments.dlq')
  })

  it('leaves what is parked to a person', () => {
    expect(renderVerdict({ sum, addsUp: true })).toEqual([
      'It does: nothing was lost, and nothing was delivered twice.',
      'No retry fixes the 25 in payments.dlq. A person looks at them (`warren dlq peek`) and decides.',
    ])
  })

  it('says so when it does not add up', () => {
    expect(renderVerdict({ sum: { ...sum, delivered: 974 }, addsUp: false })).toEqual(['It does not add up.'])
    expect(renderVerdict({ sum: { ...sum, duplicates: 2 }, addsUp: false })).toEqual([
      '2 were delivered twice.',
    ])
  })

  it.each([
    [0, '0'],
    [999, '999'],
    [1_000, '1,000'],
    [1_234_567, '1,234,567'],
  ])('%s is written %s', (count, text) => {
    expect(renderCount(count)).toBe(text)
  })
})

describe('the ladder', () => {
  it('counts who waited at a delay and who came through after it', () => {
    const ladder = createLadder([5_000, 300_000])

    ladder.failed(5_000)
    ladder.failed(5_000)
    ladder.failed(300_000)
    ladder.worked(1)
    ladder.worked(2)
    ladder.worked(3)

    expect(ladder.rungs()).toEqual([
      { delayMs: 5_000, waited: 2, cameThrough: 1 },
      { delayMs: 300_000, waited: 1, cameThrough: 1 },
    ])
    expect(renderLadder(ladder.rungs())).toEqual([
      'after 5s     2 tried again,   1 worked',
      'after 5m     1 tried again,   1 worked',
    ])
  })

  it('says what the virtual clock saved', () => {
    expect(renderTimes({ brokerMs: 2_135_000, wallMs: 640 })).toBe(
      "35m35s on the broker's clock took 0.6 s of yours.",
    )
  })
})

it('the table of causes has a line per cause, by queue, and cuts what is too long', () => {
  const cause = { id: 'abc', kind: 'error', first: undefined, last: undefined, sample: undefined } as const
  const lines = renderCauses([
    {
      queue: 'payments.dlq',
      looked: 3,
      causes: [
        { ...cause, label: 'TimeoutError', count: 2 },
        { ...cause, label: 'x'.repeat(100), count: 1 },
      ],
    },
    { queue: 'receipts.dlq', looked: 0, causes: [] },
  ])

  expect(lines).toEqual(['payments.dlq', '     2  TimeoutError', `     1  ${'x'.repeat(68)}…`])
})
