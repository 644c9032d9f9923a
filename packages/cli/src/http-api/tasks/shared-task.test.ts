import { describe, expect, it } from 'vitest'
import type { Task, TaskState } from '../contract/contract.ts'
import {
  countInterrupted,
  countInterruptedEdit,
  type EditedMessage,
  explainInterruptedEdit,
} from './count-interrupted.ts'
import { readTaskRecord } from './read-task-record.ts'
import { replaces, type SharedTask } from './shared-task.ts'

function shared(state: TaskState, more: Partial<SharedTask> = {}): SharedTask {
  const task: Task = {
    id: 't',
    kind: 'redrive',
    state,
    queue: 'a.dlq',
    by: 'ann',
    reason: null,
    host: 'one',
    startedAt: '2030-01-01T00:00:00Z',
    endedAt: null,
    movedBefore: 0,
    problem: null,
    isSigned: true,
    limit: null,
    progress: { present: 10, moved: 0, failed: 0, kept: 0 },
  }
  const asked = { kind: 'redrive', request: { queue: 'a.dlq' } } as const
  return { task, run: 1, server: 'one', presence: 'warren.server.one.1', asked, receipt: null, ...more }
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

  it('that anybody may have written stands back behind that of a server, whatever it says', () => {
    const unsigned = (state: TaskState, more: Partial<SharedTask> = {}): SharedTask => {
      const { task, ...rest } = shared(state, more)
      return { ...rest, task: { ...task, isSigned: false } }
    }

    expect(replaces(unsigned('done', { run: 9 }), shared('running'))).toBe(false)
    expect(replaces(shared('running'), unsigned('done', { run: 9 }))).toBe(true)
    expect(replaces(unsigned('done'), unsigned('running'))).toBe(true)
  })

  it('is read as a server writes it, and as 0.1 wrote it', () => {
    const { isSigned: _, ...task } = shared('running').task
    const records = [shared('done'), { ...shared('running'), task }].map((each) => ({
      kind: 'task',
      shared: each,
    }))

    expect(records.map(readTaskRecord)).toEqual(records)
  })

  it.each<[string, object]>([
    ['no task', { task: null }],
    ['a task without counts', { task: { ...shared('done').task, progress: undefined } }],
    ['a state that there is not', { task: { ...shared('done').task, state: 'lost' } }],
    ['a sign of life that is any queue', { presence: 'orders' }],
    ['nothing that was asked for', { asked: undefined }],
    ['a request for no queue', { asked: { kind: 'redrive', request: {} } }],
    ['a receipt that is none', { receipt: 7 }],
    ['a receipt without refusals', { receipt: { format: 'warren-receipt/1', id: 'x' } }],
  ])('with %s is passed over', (_, change) => {
    expect(readTaskRecord({ kind: 'task', shared: { ...shared('done'), ...change } })).toBeUndefined()
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
    ['there', 0, /is in "a\.dlq", unchanged\. Edit it again/],
    ['gone', 1, /no longer in "a\.dlq": it was put back/],
    ['unknown', 0, /could not be checked.*Look for it there/],
  ])('is told by where its message is: %s', (edited, moved, words) => {
    expect(countInterruptedEdit(progress, edited)).toEqual({ ...progress, moved })
    expect(explainInterruptedEdit('a.dlq', edited)).toMatch(words)
  })
})
