import { type Clock, steadyClock } from 'warrenmq/operations'
import type { AuditReader } from './audit-reader.ts'

/** Remembers whose reading of the log has been written down of late. */
export interface ReaderBook {
  isKnown(reader: AuditReader): boolean
  add(reader: AuditReader): void
}

/** A console that polls is one reader, and its records would push out those that matter. */
export const readersKnownMs: number = 10 * 60_000
/** Whoever comes after so many is written down once more. */
const mostKnown = 1_000

export function createReaderBook(clock: Pick<Clock, 'now'> = steadyClock): ReaderBook {
  const untilMs = new Map<string, number>()
  const nameOf = ({ by, wayIn, from }: AuditReader): string => JSON.stringify([by, wayIn, from])
  return {
    isKnown: (reader) => (untilMs.get(nameOf(reader)) ?? Number.NEGATIVE_INFINITY) > clock.now(),
    add: (reader) => {
      if (untilMs.size >= mostKnown) untilMs.clear()
      untilMs.set(nameOf(reader), clock.now() + readersKnownMs)
    },
  }
}
