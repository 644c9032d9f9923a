import type { CauseGroup, CauseSplit } from 'warrenmq'
import { escapeLine } from 'warrenmq/operations'

/** A group of dead letters for people: its own line, and those below it. */
export interface CauseLines {
  readonly count: string
  readonly id: string
  readonly label: string
  readonly below: readonly string[]
}

export function renderCause({
  id,
  label,
  count,
  first,
  last,
  sample,
  by = [],
  splits = [],
}: CauseGroup): CauseLines {
  const facts = [
    ...(first === undefined ? [] : [`first ${first}`]),
    ...(last === undefined ? [] : [`last ${last}`]),
    ...(sample === undefined ? [] : [`such as ${escapeLine(sample)}`]),
  ]
  return {
    count: String(count).padStart(10),
    id,
    label: escapeLine(label),
    below: [
      ...by.map(({ field, value }) => `${escapeLine(field)}: ${renderValue(value)}`),
      ...(facts.length === 0 ? [] : [facts.join(', ')]),
      ...splits.map(renderSplit),
    ],
  }
}

/** What to do with fields that tell messages of one cause apart; undefined where there are none. */
export function renderSplitHint(groups: readonly CauseGroup[]): string | undefined {
  const [field] = groups.flatMap(({ splits = [] }) => splits.map((split) => split.field))
  if (field === undefined) return undefined
  return `If only a reason is known, several causes may look like one. Tell them apart with --group-by, for example --group-by ${escapeLine(field)}.`
}

const mostValues = 6

function renderSplit({ field, values }: CauseSplit): string {
  const shown = values.slice(0, mostValues).map(({ value, count }) => `${renderValue(value)} ${count}`)
  const left = values.slice(mostValues)
  const leftCount = left.reduce((sum, { count }) => sum + count, 0)
  const others = left.length === 0 ? [] : [`${left.length} others ${leftCount}`]
  return `these split by ${escapeLine(field)}: ${[...shown, ...others].join(', ')}`
}

function renderValue(value: string | null): string {
  if (value === null) return '(none)'
  return value === '' ? '(empty)' : escapeLine(value)
}
