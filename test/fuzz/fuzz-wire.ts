import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { observeAllocations } from './observe-allocations.ts'
import type { FuzzTarget } from './wire-cases.ts'

export interface FuzzRun {
  readonly cases: number
  /** The same seed gives the same cases. */
  readonly seed: number
  /** A batch takes a fraction of a second; what takes this long will never end. @default 120000 */
  readonly hangAfterMs?: number
}

const batchCases = 1_000

/**
 * Runs the cases of one target in batches and gives their number. Throws at the first case that breaks a
 * law, makes a buffer out of all proportion, or does not end; the error says how to see that case again.
 */
export function fuzzWire(target: FuzzTarget, { cases, seed, hangAfterMs = 120_000 }: FuzzRun): number {
  let done = 0
  while (done < cases) {
    const numRuns = Math.min(batchCases, cases - done)
    runBatch(target, { cases: numRuns, seed: seed + done, hangAfterMs })
    done += numRuns
  }
  return done
}

function runBatch(target: FuzzTarget, { cases, seed, hangAfterMs }: Required<FuzzRun>): void {
  let current: Buffer | undefined
  let largest = 0
  let isReading = false
  const stopObserving = observeAllocations((size) => {
    if (isReading) largest = Math.max(largest, size)
  })
  const property = fc.property(target.cases, ({ bytes, read }) => {
    current = bytes
    largest = 0
    isReading = true
    try {
      read()
    } finally {
      isReading = false
    }
    refuseWaste(largest, bytes.length)
  })
  try {
    endWithin(hangAfterMs, () => fc.assert(property, { numRuns: cases, seed }))
  } catch (error) {
    const last = current?.toString('base64')
    throw new Error(`${target.title}, seed ${seed}: last read ${last} (base64).`, { cause: error })
  } finally {
    stopObserving()
  }
}

/** Re-encoding a text may take three bytes for one; a length that was only announced may take nothing. */
function refuseWaste(largest: number, inputBytes: number): void {
  if (largest > Math.max(4096, 3 * inputBytes)) {
    throw new Error(`A buffer of ${largest} bytes was made while ${inputBytes} bytes were read.`)
  }
}

/** A timer cannot stop a loop that never yields; the engine can. */
function endWithin(timeoutMs: number, run: () => void): void {
  runInNewContext('run()', { run }, { timeout: timeoutMs })
}
