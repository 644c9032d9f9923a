import { expect, test } from 'vitest'
import { renderRestore } from './render-restore.ts'

const report = {
  file: 'a.backup',
  queue: 'dlq',
  records: 9,
  restored: 3,
  restoredBefore: 2,
  alreadyThere: 1,
  failed: 3,
  notRemoved: 0,
  duplicatesPossible: 0,
  mayBeBack: 0,
  unreadable: 0,
  isDamaged: false,
}

test('a restore says what was not taken, and whether to run it again', () => {
  const lines = renderRestore({
    ...report,
    failures: [
      { kind: 'too-large', count: 1 },
      { kind: 'refused', count: 2 },
      { kind: 'unanswered', count: 3 },
    ],
  })

  expect(lines).toEqual([
    '3 of 9 messages restored into dlq.',
    '  2 put back by an earlier run, wherever they are now; to put them back again, delete a.backup.restored',
    '  1 already in the queue',
    '  1 not accepted: larger than this version of RabbitMQ allows; running the command again will not help',
    '  2 not accepted: the queue refused them, as a full queue does; make room, and run the command again for these',
    '  3 may or may not be there: the broker did not answer; run the command again for these',
  ])
})

test('a restore says what may be there twice, what stayed in the queue and what cannot be read', () => {
  const doubts = { notRemoved: 4, duplicatesPossible: 3, mayBeBack: 2, unreadable: 7, isDamaged: true }
  const lines = renderRestore({
    ...report,
    restoredBefore: 0,
    alreadyThere: 0,
    ...doubts,
    failed: 0,
    failures: [],
  })

  expect(lines).toEqual([
    '3 of 9 messages restored into dlq.',
    '  up to 1 extra copy in the queue now, because an earlier run was interrupted',
    '  up to 2 extra copies in the queue now, because a crash of RabbitMQ may have brought back what was removed',
    '  4 had not been removed: the discard was interrupted before them',
    '  7 more could not be read',
    '  a.backup is damaged; keep it as it is. Everything readable in it was used',
  ])
})
