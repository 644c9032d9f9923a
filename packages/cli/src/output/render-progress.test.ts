import { describe, expect, it } from 'vitest'
import { renderProgressBar, renderProgressLine, renderWaiting } from './render-progress.ts'

describe('the progress of a re-drive', () => {
  it.each([
    [{ done: 0, total: 100, elapsedMs: 0 }, '[------------------------] 0 of 100  0/s'],
    [{ done: 50, total: 100, elapsedMs: 1_000 }, '[############------------] 50 of 100  50/s  1 s to go'],
    [{ done: 100, total: 100, elapsedMs: 1_000 }, '[########################] 100 of 100  100/s  0 s to go'],
    [{ done: 0, total: 0, elapsedMs: 1_000 }, '[########################] 0 of 0  0/s'],
  ])('%o is drawn as a bar', (fields, expected) => {
    expect(renderProgressBar(fields)).toBe(expected)
  })

  it.each([
    [25_000, 'waiting for the broker for 25 s'],
    [84_200, 'waiting for the broker for 1 min 25 s'],
  ])('a wait of %d ms is told instead', (waitingMs, expected) => {
    expect(renderWaiting(waitingMs)).toBe(expected)
  })

  it('tells long times in minutes', () => {
    expect(renderProgressLine({ done: 100, total: 119_762, elapsedMs: 100_000 })).toBe(
      '100 of 119762  1/s  1994 min 22 s to go',
    )
  })
})
