import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { SharedTask } from './shared-task.ts'
import { watchServers } from './watch-servers.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('a run of our own that never began becomes interrupted, so that it does not lock its queue', async () => {
  const progress = { present: 2, moved: 0, failed: 0, kept: 0 }
  const task = { id: 'a', state: 'running', queue: 'orders.dlq', isSigned: true, progress }
  let shared = {
    task,
    run: 1,
    server: 'we',
    presence: 'warren.server.we.1',
    asked: { kind: 'admin', limit: 1 },
  }
  const board = {
    server: 'we',
    list: () => [shared],
    get: () => shared,
    write: async (next: SharedTask) => {
      shared = next as never
    },
  }
  const interrupted: string[] = []
  const watch = watchServers({
    board: board as never,
    broker: { consuming: { openChannel: () => Promise.reject(new Error('away')) } } as never,
    turns: {} as never,
    lookTimeoutMs: 1_000,
    isAbandoned: ({ run }) => run === 1,
    onInterrupted: ({ id }) => interrupted.push(id),
    onError: () => {},
  })

  await vi.advanceTimersByTimeAsync(5_000)
  watch.close()

  expect(shared.task.state).toBe('interrupted')
  expect(interrupted).toEqual(['a'])
})
