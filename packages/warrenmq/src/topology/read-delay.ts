import { type Duration, type DurationReading, parseDuration, readDuration } from '../message/duration.ts'

/** The same as `readDuration`, for delays: thousands of queues share a few of them, and each is read several times. */
export function readDelay(delay: unknown): DurationReading {
  if (typeof delay !== 'string') return readDuration(delay)
  const known = readings.get(delay)
  if (known !== undefined) return known
  const reading = readDuration(delay)
  if (readings.size < most) readings.set(delay, reading)
  return reading
}

/** The milliseconds of a delay, or the error of `parseDuration`. */
export function parseDelay(delay: Duration): number {
  const reading = readDelay(delay)
  return reading.isValid ? reading.milliseconds : parseDuration(delay)
}

const readings = new Map<string, DurationReading>()
const most = 1000
