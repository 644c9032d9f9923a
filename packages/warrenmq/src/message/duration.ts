import { InvalidArgumentError } from '../errors.ts'

/** Milliseconds as a number, or text such as `'30s'`, `'5m'`, `'1h30m'`, `'250ms'`, `'2d'`. */
export type Duration = number | string

export type DurationReading =
  | { readonly isValid: true; readonly milliseconds: number }
  | { readonly isValid: false; readonly problem: string }

/**
 * The milliseconds of a duration. Throws a sentence that says what to write instead.
 * @example
 * ```ts
 * parseDuration('1m30s') // 90000
 * ```
 */
export function parseDuration(input: Duration): number {
  const reading = readDuration(input)
  if (!reading.isValid) throw new InvalidArgumentError(reading.problem)
  return reading.milliseconds
}

/** The same without throwing, for callers that report all mistakes at once. */
export function readDuration(input: unknown): DurationReading {
  if (typeof input === 'number') return readNumber(input)
  if (typeof input === 'string') return readText(input)
  return bad(`A duration is a number of milliseconds or text such as '30s', not ${describe(input)}.`)
}

/**
 * The shortest text that `parseDuration` reads back as the same number: `90_000` gives `'1m30s'`.
 * @example
 * ```ts
 * formatDuration(90_000) // 1m30s
 * ```
 */
export function formatDuration(milliseconds: number): string {
  const reading = readNumber(milliseconds)
  if (!reading.isValid) throw new InvalidArgumentError(reading.problem)
  if (milliseconds === 0) return '0ms'

  let rest = milliseconds
  let text = ''
  for (const { name, size } of units) {
    const amount = Math.floor(rest / size)
    if (amount > 0) text += `${amount}${name}`
    rest %= size
  }
  return text
}

const units = [
  { name: 'd', size: 86_400_000 },
  { name: 'h', size: 3_600_000 },
  { name: 'm', size: 60_000 },
  { name: 's', size: 1_000 },
  { name: 'ms', size: 1 },
] as const

const example = `write for example '30s', '5m', '1h30m' or 1500`

function readNumber(input: number): DurationReading {
  if (Number.isNaN(input) || input < 0) return bad(`A duration cannot be ${input}; ${example}.`)
  if (!Number.isSafeInteger(input)) return bad(`A duration is a whole number of milliseconds, not ${input}.`)
  return { isValid: true, milliseconds: input }
}

function readText(input: string): DurationReading {
  const text = input.trim()
  if (/^\d+(\.\d+)?$/.test(text)) {
    return bad(`The duration '${input}' has no unit; write '${text}ms', '${text}s' or the number ${text}.`)
  }
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|[dhms])/g)]
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== text) {
    return bad(`'${input}' is not a duration; ${example}.`)
  }
  return addParts(parts, input)
}

function addParts(parts: readonly RegExpMatchArray[], input: string): DurationReading {
  let sum = 0
  let smallestSoFar = Number.POSITIVE_INFINITY
  for (const [, amount, name] of parts) {
    const size = units.find((unit) => unit.name === name)?.size ?? 0
    // '30m1h' and '5s5s' are more often a slip than a wish.
    if (size >= smallestSoFar) return bad(`The duration '${input}' must name each unit once, largest first.`)
    smallestSoFar = size
    sum += Number(amount) * size
  }
  // A decimal such as '1.1s' is not exact in binary, so the sum is rounded where it is whole but for that.
  const milliseconds = Math.round(sum)
  if (Math.abs(sum - milliseconds) > 1e-6) return bad(`The duration '${input}' is finer than a millisecond.`)
  return readNumber(milliseconds)
}

function describe(input: unknown): string {
  if (input === null) return 'null'
  return Array.isArray(input) ? 'a list' : `a value of type ${typeof input}`
}

function bad(problem: string): DurationReading {
  return { isValid: false, problem }
}
