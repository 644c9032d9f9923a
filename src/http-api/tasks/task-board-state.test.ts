import { describe, expect, it } from 'vitest'
import type { Task, TaskState } from '../contract.ts'
import {
  countInterrupted,
  countInterruptedEdit,
  type EditedMessage,
  explainInterruptedEdit,
} from './decide-interruption.ts'
import { readTaskRecord, replaces, type SharedTask } from './task-board-state.ts'

function shared(state: TaskState, more: Partial<SharedTask> = {}): SharedTask {
  const task: Task = {
    ...{ id: 't', kind: 'redrive', state, queue: 'a.dlq', by: 'ann', reason: null, host: 'one' },
    ...{ startedAt: '2030-01-01T00:00:00Z', endedAt: null, movedBefore: 0, problem: null },
    progress: { present: 10, moved: 0, failed: 0, kept: 0 },
  }
  const asked = { kind: 'redrive', request: { queue: 'a.dlq' } } as const
  return { task, run: 1, server: 'one', presence: 'one.1', asked, receipt: null, ...more }
}

describe('a record of a task', () => {
  const second = { run: 2, server: 'two' }

  it.each<[string, SharedTask, SharedTask | undefined, boolean]>([
    ['is taken where the task is new', shared('running'), undefined, true],
    ['is taken from the server that works on it', shared('paused'), shared('running'), true],
    ['is taken from a server that goes on with it', shared('running', second), shared('interrupted'), true],
    ['is not taken from the server before', shared('running'), shared('running', second), false],
    [
      'is not taken from the second of two that go on with it',
      shared('running', { run: 2, server: 'three' }),
      shared('running', second),
      false,
    ],
    ['is taken where its server is gone', shared('interrupted'), shared('running'), true],
    ['is taken from a server that was taken for gone', shared('running'), shared('interrupted'), true],
    ['is not taken where its server had come to its end', shared('interrupted'), shared('done'), false],
  ])('%s', (_, next, known, isTaken) => {
    expect(replaces(next, known)).toBe(isTaken)
  })

  it('of another kind, or of none, is passed over', () => {
    expect([undefined, null, 1, {}, { kind: 'later' }, { kind: 'task' }].map(readTaskRecord)).toEqual(
      Array.from({ length: 6 }, () => undefined),
    )
  })
})

describe('the count of a task whose server is gone', () => {
  const progress = { present: 100, moved: 40, failed: 1, kept: 2 }

  it.each([
    ['is what is missing in the queue', 55, 45],
    ['is what was told, where messages came in meanwhile', 90, 40],
    ['is what was told, where nothing moved since', 60, 40],
    ['is all, where the queue is empty', 0, 100],
    ['is what was told, where the queue is gone', undefined, 40],
  ])('%s', (_, depth, moved) => {
    expect(countInterrupted(progress, depth)).toEqual({ ...progress, moved })
  })
})

describe('an edit whose server is gone', () => {
  const progress = { present: 3, moved: 0, failed: 0, kept: 2 }

  it.each<[EditedMessage, number, RegExp]>([
    ['there', 0, /is in "a\.dlq" as it was\. Edit it again/],
    ['gone', 1, /not in "a\.dlq" any more: it was put back/],
    ['unknown', 0, /nobody could look.*Look for it there/],
  ])('is told by where its message is: %s', (edited, moved, words) => {
    expect(countInterruptedEdit(progress, edited)).toEqual({ ...progress, moved })
    expect(explainInterruptedEdit('a.dlq', edited)).toMatch(words)
  })
})
