import type { Evidence } from './evidence.ts'

/** One operation at a time works on a dead-letter queue. */
export function checkLock({ watch, violate }: Evidence): void {
  const { mostAtWork } = watch
  if (mostAtWork > 1)
    violate('lock', `${mostAtWork} connections consumed from the dead-letter queue at a time`)
}
