import { readUint32 } from '../wire/name-matcher.ts'

const textTag = 'S'.charCodeAt(0)
const textBytes = 24
const valueStart = 5
/** What stands where no digit stands in `2026-01-31T12:00:59.123Z`, as offsets and characters. */
const marks = [...'0000-00-00T00:00:00.000Z'].flatMap((mark, at) =>
  mark === '0' ? [] : [[at, mark.charCodeAt(0)] as const],
)

/**
 * The time of a header at `at` that has it as `Date.toISOString` writes it, in milliseconds since 1970; else NaN.
 * Every dead letter has one, and reading it as text first would cost several times as much.
 */
export function readIsoTime(headers: Buffer, at: number): number {
  if (headers[at] !== textTag || readUint32(headers, at + 1) !== textBytes) return Number.NaN
  const from = at + valueStart
  for (const [offset, mark] of marks) if (headers[from + offset] !== mark) return Number.NaN
  const year = digits(headers, from, 4)
  const month = digits(headers, from + 5, 2)
  const day = digits(headers, from + 8, 2)
  const hour = digits(headers, from + 11, 2)
  const minute = digits(headers, from + 14, 2)
  const second = digits(headers, from + 17, 2)
  const milli = digits(headers, from + 20, 3)
  // What is not a date and a time of every calendar is left to who reads text. So is a year that Date.UTC takes for 19xx.
  const isPlain = year >= 100 && inRange(month, 1, 12) && inRange(day, 1, 28) && inRange(hour, 0, 23)
  if (!isPlain || !inRange(minute, 0, 59) || !inRange(second, 0, 59) || milli < 0) return Number.NaN
  return Date.UTC(year, month - 1, day, hour, minute, second, milli)
}

function inRange(value: number, least: number, most: number): boolean {
  return value >= least && value <= most
}

/** Negative where one of them is none. */
function digits(bytes: Buffer, from: number, count: number): number {
  let value = 0
  for (let at = from; at < from + count; at += 1) {
    const digit = bytes[at]! - 0x30
    if (digit < 0 || digit > 9) return -1
    value = value * 10 + digit
  }
  return value
}
