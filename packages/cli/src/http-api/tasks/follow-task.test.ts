import { once } from 'node:events'
import { Writable } from 'node:stream'
import { expect, it } from 'vitest'
import type { Clock } from 'warrenmq/operations'
import type { Task, TaskState } from '../contract/contract.ts'
import { followTask, taskEvent } from './follow-task.ts'

/** A clock that goes on when it is told to. */
function createClock(): Clock & { readonly pending: () => number; readonly pass: (ms: number) => void } {
  let nowMs = 0
  const due = new Map<() => void, number>()
  return {
    now: () => nowMs,
    schedule: (delayMs, task) => {
      due.set(task, nowMs + delayMs)
      return () => void due.delete(task)
    },
    pending: () => due.size,
    pass: (ms) => {
      for (const endMs = nowMs + ms; nowMs < endMs; nowMs += 50)
        for (const [task, atMs] of [...due])
          if (atMs <= nowMs) {
            due.delete(task)
            task()
          }
    },
  }
}

function setup({ isRead = true, lastId }: { isRead?: boolean; lastId?: string } = {}) {
  const written: string[] = []
  const out = new Writable({
    highWaterMark: 1_000,
    write: (chunk, _encoding, done) => {
      written.push(String(chunk))
      if (isRead) done()
    },
  })
  const clock = createClock()
  let task: Task | undefined
  let isOver = false
  const set = (state: TaskState, moved: number): void => {
    task = {
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
      progress: { present: 1_000, moved, failed: 0, kept: 0 },
    }
  }
  set('running', 0)
  followTask({ out, read: () => task && taskEvent(task), lastId, isOver: () => isOver, clock })
  return {
    written,
    out,
    clock,
    set,
    task: () => task!,
    endServer: () => {
      isOver = true
    },
    forget: () => {
      task = undefined
    },
  }
}

it('a task is told when it changes, and in between only that the connection is there', () => {
  const { written, clock, set } = setup()

  clock.pass(1_000)
  set('running', 5)
  clock.pass(20_000)

  const kinds = written.map((text) => /^(retry|: still there)|^event: \w+$/m.exec(text)?.[0])
  expect(kinds).toEqual(['retry', 'event: task', 'event: task', ': still there'])
})

it('every event has an id, which is the same for the same task wherever it is told', () => {
  const [here, there] = [setup(), setup()]

  here.set('running', 5)
  here.clock.pass(1_000)
  there.set('running', 5)
  there.clock.pass(1_000)

  const ids = ({ written }: typeof here) => written.flatMap((text) => /^id: (\S+)$/m.exec(text)?.[1] ?? [])
  expect(ids(here)).toHaveLength(2)
  expect(new Set(ids(here)).size).toBe(2)
  expect(ids(there)).toEqual(ids(here))
})

it('who comes back is told what they have not seen, and that once', () => {
  const { id } = taskEvent(setup().task())
  const back = setup({ lastId: id })

  back.clock.pass(1_000)
  const before = back.written.length
  back.set('running', 7)
  back.clock.pass(1_000)

  expect(before).toBe(1) // how long to wait before coming back
  expect(back.written.slice(1)).toEqual([taskEvent(back.task()).text])
})

it.each<[string, (rig: ReturnType<typeof setup>) => void]>([
  ['the task has ended', ({ set }) => set('done', 9)],
  ['the server ends', ({ endServer }) => endServer()],
  ['the task is known no more', ({ forget }) => forget()],
])('the stream ends when %s', async (_, end) => {
  const rig = setup()

  end(rig)
  rig.clock.pass(600)
  await once(rig.out, 'close')

  expect(rig.out.writableFinished).toBe(true)
  expect(rig.clock.pending()).toBe(0)
})

it('nothing piles up for somebody who does not read, and after a while the connection is cut', () => {
  const { out, clock, set, written } = setup({ isRead: false })

  for (let moved = 1; moved < 100; moved += 1) {
    set('running', moved)
    clock.pass(250)
  }
  const unread = out.writableLength
  clock.pass(40_000)

  expect(unread).toBeLessThan(2_000)
  expect(written).toHaveLength(1)
  expect(out.destroyed).toBe(true)
})

it('who does not even read the end is cut off, too', () => {
  const { out, clock, set } = setup({ isRead: false })

  set('done', 9)
  clock.pass(500)
  const isCutAtOnce = out.destroyed
  clock.pass(40_000)

  expect([isCutAtOnce, out.destroyed]).toEqual([false, true])
})

it('nothing is left of somebody who has gone', async () => {
  const { out, clock } = setup()

  out.destroy()
  await once(out, 'close')

  expect(clock.pending()).toBe(0)
})
