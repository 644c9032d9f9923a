import { useState } from 'react'
import { type Completion, completeFilter, type KnownValue } from './complete-filter.ts'

export interface Completions {
  readonly found: readonly Completion[]
  readonly chosen: number | undefined
  readonly ask: (text: string, caret: number) => void
  readonly close: () => void
  readonly move: (step: number) => void
}

/** What may be written next, while somebody writes. */
export function useCompletions(valuesOf: (field: string) => readonly KnownValue[]): Completions {
  const [found, setFound] = useState<readonly Completion[]>([])
  const [chosen, setChosen] = useState<number>()
  return {
    found,
    chosen,
    ask: (text, caret) => {
      setFound(completeFilter(text, caret, valuesOf))
      setChosen(undefined)
    },
    close: () => setFound([]),
    move: (step) => {
      const now = chosen ?? (step > 0 ? -1 : found.length)
      setChosen((now + step + found.length) % found.length)
    },
  }
}
