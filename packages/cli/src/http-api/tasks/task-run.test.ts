import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { SharedTask } from './shared-task.ts'
import { TaskRun } from './task-run.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A board that refuses so many records, each immediately. */
function startRun(refusals: number, { isBusy = false } = {}) {
  const told: SharedTask[] = []
  const problems: unknown[] = []
  const board = {
    write: async (shared: SharedTask) => {
      if (problems.length < refusals) throw new Error('the record was refused')
      told.push(shared)
    },
    until: async () => undefined,
  }
  const task = { id: 'a', kind: 'redrive', state: 'running', queue: 'orders.dlq', movedBefore: 0 }
  const run = new TaskRun({
    shared: { task, run: 1, asked: { kind: 'admin', limit: 1 }, receipt: null } as unknown as SharedTask,
    options: {} as never,
    board: board as never,
    presence: { queue: 'presence', close: async () => {} },
    turns: {
      // Somebody of this server looks at the queue, and the task waits for its turn.
      take: () => (isBusy ? new Promise(() => {}) : Promise.reject(new Error('the queue is gone'))),
      look: (_, work) => work(),
    },
    onEnd: async () => {},
    onError: (error) => problems.push(error),
  })
  return { run, told, problems }
}

test('the end of a task is written down once the broker accepts records again', async () => {
  const { told } = startRun(9)

  await vi.advanceTimersByTimeAsync(120_000)

  expect(told.map(({ task }) => task.state)).toEqual(['failed'])
})

test('a server that closes does not wait for a broker that accepts no records', async () => {
  const { run, told, problems } = startRun(Number.POSITIVE_INFINITY)
  await vi.advanceTimersByTimeAsync(1_000)

  await run.interrupt()

  expect(told).toEqual([])
  expect(problems.length).toBeGreaterThanOrEqual(6)
})

test('that a task is paused is told again until the broker accepts it', async () => {
  const { run, told } = startRun(2, { isBusy: true })

  run.step('pause')
  await vi.advanceTimersByTimeAsync(5_000)

  expect(told.map(({ task }) => task.state)).toEqual(['paused'])
})
