import { describe, expect, test } from 'vitest'
import { decideReceipt } from './decide-receipt.ts'
import { parseReceipt } from './parse-receipt.ts'

const receipt = {
  format: 'warren-receipt/1',
  id: 'r-1',
  queue: 'dlq',
  vhost: '/',
  present: 2,
  moved: 1,
  failed: 1,
  kept: 0,
  stillThere: 0,
  missing: 0,
  duplicatesPossible: 0,
  isBalanced: true,
  digest: 'd',
  targets: [{ target: 'orders', moved: 1 }],
  causes: [{ id: 'c', label: 'c', moved: 1 }],
  failures: [{ kind: 'refused', count: 1 }],
  keptBecause: [],
  published: 1,
  acksInDoubt: 0,
  unanswered: 0,
  movedAside: 0,
  isCounted: true,
}

test('a receipt is read as it was written', () => {
  expect(parseReceipt(JSON.stringify(receipt))).toEqual(receipt)
  expect(parseReceipt(JSON.stringify({ ...receipt, digest: null }))).toMatchObject({ digest: null })
})

describe('a receipt in which a value is damaged is refused by its name', () => {
  const junk = [null, 'x', -1, 0.5, [], [null], [[]], [{}], {}, true, '9'.repeat(400)]
  test.each(Object.keys(receipt).filter((name) => name !== 'format'))('%s', (name) => {
    for (const value of [undefined, ...junk]) {
      const text = JSON.stringify({ ...receipt, [name]: value })
      try {
        // What is taken must be fit to be checked.
        decideReceipt(parseReceipt(text), { depth: 0, places: [], digest: '' })
      } catch (error) {
        expect(error).toMatchObject({
          code: 'RECEIPT_INVALID',
          message: expect.stringContaining(`"${name}"`),
        })
      }
    }
    expect(() => parseReceipt(JSON.stringify({ ...receipt, [name]: 0.5 }))).toThrow(`"${name}"`)
  })
})

test.each(['', 'null', '[]', '"x"', '{}', '{"format":"warren-receipt/1"', '['.repeat(100_000)])(
  '%j is no receipt',
  (text) => {
    expect(() => parseReceipt(text)).toThrow(expect.objectContaining({ code: 'RECEIPT_INVALID' }))
  },
)
