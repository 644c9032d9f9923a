import type { Caller } from './caller.ts'

/**
 * All of a caller that decides what they are shown. Answers and feeds are shared by those of whom it is the same, so
 * whatever the rules of what is shown go by must be in it.
 */
export function viewOfCaller({
  role,
  readableQueues,
  isReadUnknown = false,
}: Pick<Caller, 'role' | 'readableQueues' | 'isReadUnknown'>): string {
  return JSON.stringify([role, readableQueues ?? null, isReadUnknown])
}
