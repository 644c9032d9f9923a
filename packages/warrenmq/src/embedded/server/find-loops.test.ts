import { expect, test } from 'vitest'
import { findLoops, type TimerRun } from './find-loops.ts'

const started = (atMs: number, delayMs: number, isPending = false, calls = 'poll'): TimerRun => ({
  delayMs,
  dueAtMs: atMs + delayMs,
  isPending,
  calls,
})

test.each<[string, readonly TimerRun[], readonly string[]]>([
  [
    'one after the other, and one that runs',
    [started(0, 50), started(51, 50), started(102, 50, true)],
    ['poll'],
  ],
  ['two rounds', [started(0, 600), started(600, 600, true)], ['poll']],
  ['a first round', [started(0, 50, true)], []],
  ['rounds that came to an end', [started(0, 50), started(51, 50)], []],
  ['handlers side by side', [started(0, 500), started(10, 500), started(20, 500, true)], []],
  ['several that run', [started(0, 50), started(60, 500, true), started(60, 500, true)], []],
  ['other calls', [started(0, 50), started(51, 50, true, 'elsewhere')], []],
])('%s', (_, timers, loops) => {
  expect(findLoops(timers)).toEqual(loops)
})
