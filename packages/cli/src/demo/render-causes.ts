import type { ParkedCauses } from './ask-why.ts'
import { renderCount } from './render-sum.ts'

/** The causes of each queue, the most frequent first; a queue without dead letters is left out. */
export function renderCauses(parked: readonly ParkedCauses[]): readonly string[] {
  return parked.flatMap(({ queue, causes }) =>
    causes.length === 0
      ? []
      : [queue, ...causes.map(({ label, count }) => `${renderCount(count).padStart(6)}  ${shorten(label)}`)],
  )
}

/** With the indent and the count it fits into 80 columns. */
const longest = 69

function shorten(label: string): string {
  return label.length > longest ? `${label.slice(0, longest - 1)}…` : label
}
