import { describe, expect, test } from 'vitest'
import { decideReceipt, decideVerdict, type ReceiptFindings } from './decide-receipt.ts'
import type { Receipt } from './receipt.ts'

const receipt = {
  queue: 'dlq',
  present: 10,
  moved: 6,
  failed: 1,
  kept: 2,
  stillThere: 1,
  missing: 0,
  isBalanced: true,
  duplicatesPossible: 1,
  digest: 'd6',
  targets: [
    { target: 'a', moved: 4 },
    { target: 'b', moved: 2 },
  ],
  causes: [{ id: 'c', label: 'c', moved: 6 }],
  failures: [{ kind: 'refused', count: 1 }],
  keptBecause: [{ reason: 'not-selected', count: 2 }],
} as unknown as Receipt

const findings: ReceiptFindings = {
  depth: 4,
  places: [
    { queue: 'dlq', role: 'dead-letter queue', found: 0 },
    { queue: 'a', role: 'target', found: 4 },
    { queue: 'b', role: 'target', found: 2 },
  ],
  digest: 'd6',
}

const verdicts = (changes: Partial<Receipt>, found: Partial<ReceiptFindings> = {}) =>
  Object.fromEntries(
    decideReceipt({ ...receipt, ...changes }, { ...findings, ...found }).map(({ name, verdict }) => [
      name,
      verdict,
    ]),
  )

describe('a receipt', () => {
  test('does not look for what was moved aside in the queue that it left', () => {
    expect(verdicts({ movedAside: 2 }, { depth: 2 })).toMatchObject({ left: 'holds' })
    expect(verdicts({}, { depth: 2 })).toMatchObject({ left: 'unknown' })
  })

  test('of a run that nobody counted says nothing of the balance', () => {
    expect(verdicts({ isBalanced: false, isCounted: false })).toMatchObject({ balance: 'unknown' })
  })

  test('that is true holds in every point', () => {
    expect(verdicts({})).toEqual({
      sums: 'holds',
      balance: 'holds',
      left: 'holds',
      moved: 'holds',
      digest: 'holds',
    })
  })

  test.each<[string, Partial<Receipt>]>([
    ['present', { present: 11 }],
    ['targets', { targets: [{ target: 'a', moved: 5 }] }],
    ['causes', { causes: [] }],
    ['failures', { failures: [] }],
    ['keptBecause', { keptBecause: [] }],
  ])('whose %s do not add up is broken', (name, changes) => {
    const [sums] = decideReceipt({ ...receipt, ...changes }, findings)
    expect(sums).toMatchObject({ verdict: 'broken', detail: expect.stringContaining(name) })
  })

  test('that was not balanced stays so', () => {
    expect(verdicts({ isBalanced: false, missing: 2 }).balance).toBe('broken')
  })

  test('is not refuted by messages that were handled since', () => {
    const places = [{ queue: 'dlq', role: 'dead-letter queue', found: 1 }] as const
    expect(verdicts({}, { depth: 2, places })).toMatchObject({ left: 'unknown', moved: 'unknown' })
  })

  test('is refuted by more copies than it allows, and by other messages', () => {
    const places = [{ queue: 'a', role: 'target', found: 8 }] as const
    expect(verdicts({}, { places }).moved).toBe('broken')
    expect(verdicts({}, { digest: 'other' }).digest).toBe('broken')
  })

  test('whose targets count a publish that went twice adds up, and its digest is not compared', () => {
    const targets = [{ target: 'a', moved: 7 }]
    const causes = [{ id: 'c', label: 'c', moved: 7 }]

    expect(verdicts({ published: 7, targets, causes }, { digest: 'other' })).toEqual({
      sums: 'holds',
      balance: 'holds',
      left: 'holds',
      moved: 'holds',
    })
    expect(verdicts({ published: 8, targets, causes }).sums).toBe('broken')
  })

  test('with a copy that it allows says nothing of the digest', () => {
    const places = [{ queue: 'a', role: 'target', found: 7 }] as const
    expect(verdicts({}, { places, digest: 'other' })).not.toHaveProperty('digest')
  })
})

describe('the verdict on a receipt', () => {
  const verdictOn = (changes: Partial<Receipt>, found: Partial<ReceiptFindings> = {}) =>
    decideVerdict(decideReceipt({ ...receipt, ...changes }, { ...findings, ...found }))
  const dlq = { queue: 'dlq', role: 'dead-letter queue', found: 0 } as const
  const allMoved = { present: 6, failed: 0, kept: 0, stillThere: 0, failures: [], keptBecause: [] }

  test.each<[string, Partial<Receipt>, Partial<ReceiptFindings>, string]>([
    ['all is there', {}, {}, 'holds'],
    ['some were handled since, and nobody looked at the targets', {}, { places: [dlq] }, 'holds'],
    ['one point is not true', { causes: [] }, { places: [] }, 'broken'],
    ['the broker has nothing left of it', {}, { depth: 0, places: [dlq] }, 'unknown'],
    ['nothing was left, and all that was moved is handled', allMoved, { depth: 0, places: [dlq] }, 'unknown'],
    ['nothing was left, and others have come since', allMoved, { depth: 3, places: [dlq] }, 'unknown'],
    ['a queue could not be looked at', {}, { places: [{ ...dlq, found: undefined }] }, 'unknown'],
    ['a queue could not be looked through', {}, { places: [{ ...dlq, why: 'Only 1.' }] }, 'unknown'],
    ['nobody had counted', { isBalanced: false, isCounted: false }, {}, 'unknown'],
  ])('where %s', (_, changes, found, expected) => {
    expect(verdictOn(changes, found)).toBe(expected)
  })

  test('comes with why a queue was not looked at', () => {
    const places = [{ ...dlq, found: undefined, why: 'It has a delivery limit of 20.' }]
    const moved = decideReceipt(receipt, { ...findings, places }).find(({ name }) => name === 'moved')

    expect(moved?.detail).toContain('not looked at in dlq (It has a delivery limit of 20)')
  })
})
