import { formatDuration } from 'warrenmq/operations'
import type { Rung } from './ladder.ts'
import { renderCount } from './render-sum.ts'

/** One line per delay: how many waited for it, and how many of them came through. */
export function renderLadder(rungs: readonly Rung[]): readonly string[] {
  const labels = rungs.map(({ delayMs }) => formatDuration(delayMs))
  const width = Math.max(...labels.map(({ length }) => length))
  return rungs.map(({ waited, cameThrough }, index) => {
    const label = (labels[index] ?? '').padEnd(width)
    return `after ${label}  ${renderCount(waited).padStart(4)} tried again, ${renderCount(cameThrough).padStart(3)} worked`
  })
}

/** What the virtual clock saved. */
export function renderTimes({ brokerMs, wallMs }: { brokerMs: number; wallMs: number }): string {
  return `${formatDuration(brokerMs)} on the broker's clock took ${(wallMs / 1000).toFixed(1)} s of yours.`
}
