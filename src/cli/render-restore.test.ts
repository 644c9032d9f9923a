import { expect, test } from 'vitest'
import { renderRestore } from './render-restore.ts'

test('a restore says what was not taken, and whether to run it again', () => {
  const lines = renderRestore({
    ...{
      file: 'a.backup',
      queue: 'dlq',
      records: 9,
      restored: 3,
      restoredBefore: 2,
      alreadyThere: 1,
      failed: 3,
    },
    failures: [
      { kind: 'too-large', count: 1 },
      { kind: 'refused', count: 2 },
    ],
  })

  expect(lines).toEqual([
    '3 of 9 messages restored into dlq.',
    '  2 were restored by an earlier run',
    '  1 stand in the queue already',
    '  1 were not taken: they are larger than this version of RabbitMQ takes, and running it again does not help',
    '  2 were not taken: the queue refused them, as a full one does; make room, and run it again for these',
  ])
})
