import { RecoveryError } from '../../errors.ts'
import type { Receipt } from './receipt.ts'

type Fields = Readonly<Record<string, unknown>>

const isText = (value: unknown): boolean => typeof value === 'string'
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0

/** What a second look reads, and what it has to be. */
const kinds: readonly {
  readonly names: readonly (keyof Receipt)[]
  readonly fits: (value: unknown) => boolean
  readonly what: string
}[] = [
  { names: ['id', 'queue', 'vhost'], fits: isText, what: 'text' },
  {
    names: ['present', 'moved', 'failed', 'kept', 'stillThere', 'missing', 'duplicatesPossible'],
    fits: isCount,
    what: 'a whole number from 0 up',
  },
  {
    names: ['movedAside', 'published', 'acksInDoubt', 'unanswered'],
    fits: (value) => value === undefined || isCount(value),
    what: 'a whole number from 0 up, or not there',
  },
  { names: ['isBalanced'], fits: isFlag, what: 'true or false' },
  { names: ['isCounted'], fits: (value) => value === undefined || isFlag(value), what: 'true or false' },
  // One that was given to somebody who is not shown payloads has none.
  { names: ['digest'], fits: (value) => value === null || isText(value), what: 'text' },
  {
    names: ['targets'],
    fits: listOf(({ target, moved }) => isText(target) && isCount(moved)),
    what: 'a list of { target, moved }',
  },
  { names: ['causes'], fits: listOf(({ moved }) => isCount(moved)), what: 'a list of { id, label, moved }' },
  { names: ['failures'], fits: listOf(({ count }) => isCount(count)), what: 'a list of { kind, count }' },
  {
    names: ['keptBecause'],
    fits: listOf(({ count }) => isCount(count)),
    what: 'a list of { reason, count }',
  },
]

/**
 * Reads the JSON that `--receipt` wrote. A mistake is reported by the name of its field.
 * @example
 * ```ts
 * const receipt = parseReceipt(readFileSync('receipt.json', 'utf8'))
 * ```
 */
export function parseReceipt(text: string): Receipt {
  const value = parseFields(text)
  if (value?.format !== 'warren-receipt/1') throw mistake('It is not a receipt of a re-drive.')
  for (const { names, fits, what } of kinds) {
    const wrong = names.find((name) => !fits(value[name]))
    if (wrong !== undefined) throw mistake(`It is a damaged receipt: its "${wrong}" must be ${what}.`)
  }
  return value as unknown as Receipt
}

function parseFields(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isFields(value) ? value : undefined
  } catch {
    return undefined // text that is no JSON is no receipt either
  }
}

function isFlag(value: unknown): boolean {
  return typeof value === 'boolean'
}

function listOf(fits: (item: Fields) => boolean): (value: unknown) => boolean {
  return (value) => Array.isArray(value) && value.every((item) => isFields(item) && fits(item))
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null
}

function mistake(problem: string): RecoveryError {
  return new RecoveryError({ code: 'RECEIPT_INVALID', message: problem })
}
