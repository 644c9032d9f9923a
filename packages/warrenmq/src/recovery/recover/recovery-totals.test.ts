import { expect, test } from 'vitest'
import type { Receipt } from '../receipt/receipt.ts'
import { RecoveryTotals } from './recovery-totals.ts'
import { renderRecovery } from './render-recovery.ts'

const receipt = (fields: Partial<Receipt>): Receipt => ({
  format: 'warren-receipt/1',
  id: 'id',
  queue: 'dlq',
  vhost: '/',
  by: 'test',
  reason: undefined,
  startedAt: '',
  endedAt: '',
  ratePerSecond: 1,
  outcome: 'done',
  present: 0,
  moved: 0,
  failed: 0,
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
  digest: '',
  refusals: [],
  ...fields,
})
const run = (fields: Partial<Receipt>, failed: [string, number][] = []) => ({
  receipt: receipt(fields),
  failedByQueue: new Map(failed),
})

test('what was recovered adds up over all runs, and what was kept is of the last', () => {
  const totals = new RecoveryTotals('dlq', (target) => target.replace('shop ', ''))
  totals.add(
    run({
      present: 10,
      moved: 5,
      kept: 4,
      failed: 1,
      targets: [{ target: 'shop scan', moved: 5 }],
      keptBecause: [{ reason: 'type-unknown', count: 4 }],
    }),
  )
  totals.add(
    run(
      {
        present: 7,
        moved: 2,
        kept: 4,
        failed: 1,
        targets: [{ target: 'shop scan', moved: 2 }],
        keptBecause: [
          { reason: 'too-large', count: 1 },
          { reason: 'type-unknown', count: 3 },
        ],
      },
      [['scan', 1]],
    ),
  )

  expect(totals.recovery()).toMatchObject({
    queue: 'dlq',
    recovered: 7,
    failed: 1,
    skipped: 3,
    left: 5,
    isBalanced: true,
    problem: undefined,
    keptBecause: [{ reason: 'too-large', count: 1 }],
    recoveredByQueue: new Map([['scan', 7]]),
    failedByQueue: new Map([['scan', 1]]),
  })
})

test('a queue that was not balanced after one run is not balanced, whatever the last run says', () => {
  const totals = new RecoveryTotals('dlq')
  totals.add(run({ present: 3, moved: 2, isBalanced: false }))
  totals.add(run({ present: 1, moved: 1 }))

  const recovery = totals.recovery()

  expect(recovery.isBalanced).toBe(false)
  expect(renderRecovery(recovery).join('\n')).toContain('does not hold what it should')
})

test('the summary tells every reason in its own words, and why it ended early', () => {
  const totals = new RecoveryTotals('dlq')
  totals.add(
    run({
      present: 10,
      moved: 1,
      kept: 9,
      targets: [{ target: 'scan', moved: 1 }],
      keptBecause: [
        { reason: 'type-unknown', count: 2 },
        { reason: 'target-refused', count: 4 },
        { reason: 'too-large', count: 1 },
        { reason: 'unreadable', count: 2 },
      ],
      refusals: ['There is no exchange "gone".'],
    }),
  )

  expect(renderRecovery(totals.recovery('the connection is down'))).toEqual([
    '================================',
    '📊 DLQ RECOVERY SUMMARY',
    '================================',
    '✅ Total Recovered: 1 messages',
    '❌ Total Failed: 0 messages (kept in DLQ for retry)',
    '⚠️  Skipped Messages: 2 (unknown type, kept in DLQ for manual review)',
    '⚠️  Kept Messages: 4 (its target was refused)',
    '⚠️  Kept Messages: 1 (larger than the broker takes)',
    '⚠️  Kept Messages: 2 (its headers cannot be read)',
    '   There is no exchange "gone".',
    '',
    'Successfully Recovered By Queue:',
    '   scan: 1',
    '================================',
    '❌ Recovery of dlq ended early: the connection is down',
    '⚠️  9 messages still in DLQ (will retry on next startup)',
  ])
})

test('the summary names the queues in order, whichever was first', () => {
  const totals = new RecoveryTotals('dlq')
  const targets = ['thumbnails', 'scan', 'cache'].map((target) => ({ target, moved: 1 }))
  totals.add(run({ present: 3, moved: 3, targets }))

  const lines = renderRecovery(totals.recovery())

  expect(lines.filter((line) => line.startsWith('   '))).toEqual([
    '   cache: 1',
    '   scan: 1',
    '   thumbnails: 1',
  ])
})

test('a queue that nobody could count is neither called empty nor robbed', () => {
  const totals = new RecoveryTotals('dlq')
  totals.add(run({ present: 6, moved: 2, isBalanced: false, isCounted: false }))
  totals.count(undefined)

  const recovery = totals.recovery()

  expect(recovery).toMatchObject({ left: 4, isCounted: false, isBalanced: true })
  const summary = renderRecovery(recovery).join('\n')
  expect(summary).toContain(
    'DLQ not counted: the broker was away at the end. 4 messages should still be in it',
  )
  expect(summary).not.toContain('does not hold what it should')
})

test('what was moved aside is not left in the queue, and the summary says where it is', () => {
  const totals = new RecoveryTotals('dlq')
  totals.add(run({ present: 6, moved: 2, kept: 4, movedAside: 3 }))

  const recovery = totals.recovery()

  expect(recovery.left).toBe(1)
  expect(renderRecovery(recovery).join('\n')).toContain('Moved Aside: 3 (in dlq.over-limit;')
})

test('what was moved aside adds up over all runs, although the last moved none', () => {
  const totals = new RecoveryTotals('dlq')
  totals.add(run({ present: 6, moved: 2, kept: 4, movedAside: 3 }))
  totals.add(run({ present: 2, moved: 1, kept: 1 }))

  const recovery = totals.recovery()

  expect(recovery).toMatchObject({ movedAside: 3, left: 1 })
  expect(renderRecovery(recovery).join('\n')).toContain('Moved Aside: 3 (in dlq.over-limit;')
})

test('a queue that was deleted is not said to be tried again, nor to be robbed', () => {
  const totals = new RecoveryTotals('dlq')
  totals.add(run({ present: 6, moved: 2, missing: 4, isBalanced: false, interruption: 'queue-deleted' }))
  totals.countDeleted()

  const recovery = totals.recovery('There is no queue "dlq".')

  expect(recovery).toMatchObject({ left: 0, deleted: 4 })
  const lines = renderRecovery(recovery)
  expect(lines.slice(-2)).toEqual([
    '❌ Recovery of dlq ended early: There is no queue "dlq".',
    '❌ The DLQ was deleted meanwhile, and 4 messages with it',
  ])
  expect(lines.join('\n')).not.toContain('somebody else took messages')
})

test('what may have arrived twice is added up over all runs, and stands in the summary', () => {
  const totals = new RecoveryTotals('dlq')
  totals.add(run({ present: 900, moved: 500, kept: 400, duplicatesPossible: 300 }))
  totals.add(run({ present: 400, moved: 400, duplicatesPossible: 100 }))

  const recovery = totals.recovery()

  expect(recovery.duplicatesPossible).toBe(400)
  expect(renderRecovery(recovery).join('\n')).toContain('Possible Duplicates: 400')
})

test('a run that was not ended in time says what it moved, and no more than was under way may be there twice', () => {
  const totals = new RecoveryTotals('dlq')
  totals.addUnended({ present: 50, moved: 20, underWay: 1_000 })

  const recovery = totals.recovery('The broker did not answer.')

  expect(recovery).toMatchObject({ recovered: 20, left: 30, duplicatesPossible: 30, isCounted: false })
  expect(recovery.receipt).toBeUndefined()
})
