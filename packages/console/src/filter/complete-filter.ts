import { quoteFilterValue } from './quote-filter-value.ts'

/** Something that may be written next. */
export interface Completion {
  /** Takes the place of the text from `from` to the caret. */
  readonly text: string
  readonly from: number
  /** What it means, for the eye. */
  readonly about: string
}

export interface KnownValue {
  readonly value: string
  /** In words, where the value is none. */
  readonly label: string | null
  readonly count: number
}

const fields: readonly (readonly [string, string])[] = [
  ['cause:', 'why it died'],
  ['type:', 'type of the message'],
  ['queue:', 'queue it failed in'],
  ['died<', 'how long ago, or when'],
  ['attempts>=', 'failed attempts'],
  ['key:', 'routing key'],
  ['exchange:', 'exchange'],
  ['id:', 'message id'],
  ['header.', 'a header, by name'],
  ['body.', 'a value in a JSON body, by path'],
]
const joiners: readonly (readonly [string, string])[] = [
  ['and ', 'both hold'],
  ['or ', 'one of them holds'],
  ['not ', 'does not hold'],
]
const ages = ['15m', '1h', '2h', '1d', '7d']
const most = 8

/** What may come where the caret is; values are those that messages have. */
export function completeFilter(
  text: string,
  caret: number,
  valuesOf: (field: string) => readonly KnownValue[],
): readonly Completion[] {
  const before = text.slice(0, caret)
  const [, field, written] = /(?:^|[\s(])([\w.-]+)(?:<=|>=|!=|[:=<>])("?[^\s"()]*)$/.exec(before) ?? []
  if (field !== undefined && written !== undefined)
    return completeValue({ field, written, from: caret - written.length, valuesOf })
  const word = /(?:^|[\s(])([\w.-]*)$/.exec(before)?.[1]
  if (word === undefined) return []
  const isAfterTerm = /[^\s(]\s+$/.test(before.slice(0, caret - word.length)) && !endsWithJoiner(before, word)
  const found = [...(isAfterTerm ? joiners.slice(0, 2) : [joiners[2]!]), ...(isAfterTerm ? [] : fields)]
  return found
    .filter(([name]) => name.startsWith(word.toLowerCase()) && name.trim() !== word)
    .toSorted(([left], [right]) => Number(left === 'not ') - Number(right === 'not '))
    .slice(0, most)
    .map(([name, about]) => ({ text: name, from: caret - word.length, about }))
}

function endsWithJoiner(before: string, word: string): boolean {
  return /(?:^|[\s(])(?:and|or|not)\s+$/i.test(before.slice(0, before.length - word.length))
}

function completeValue(fields: {
  readonly field: string
  readonly written: string
  readonly from: number
  readonly valuesOf: (field: string) => readonly KnownValue[]
}): readonly Completion[] {
  const { field, written, from, valuesOf } = fields
  const start = written.replace('"', '').toLowerCase()
  if (field === 'died')
    return ages
      .filter((age) => age.startsWith(start) && age !== start)
      .map((age) => ({ text: `${age} `, from, about: 'ago' }))
  return valuesOf(field)
    .filter(({ value, label }) => value.toLowerCase() !== start && has(start, value, label))
    .slice(0, most)
    .map(({ value, label, count }) => ({
      text: `${quoteFilterValue(value)} `,
      from,
      about: label === null ? String(count) : `${label}, ${count}`,
    }))
}

function has(start: string, value: string, label: string | null): boolean {
  return value.toLowerCase().includes(start) || (label?.toLowerCase().includes(start) ?? false)
}
