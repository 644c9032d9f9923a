import { fieldOf, splitTerms } from './split-terms.ts'

/** A stretch of time, from its first moment to the first one after it, since 1970. */
export interface DeathRange {
  readonly fromMs: number
  readonly toMs: number
}

/** As a filter says it: by moments, so that it means the same messages tomorrow. */
export function termsOfRange({ fromMs, toMs }: DeathRange): readonly string[] {
  return [`died>=${new Date(fromMs).toISOString()}`, `died<${new Date(toMs).toISOString()}`]
}

/** What a filter says in that way; undefined: it says nothing of that kind. */
export function rangeOf(where: string | undefined): DeathRange | undefined {
  const terms = splitTerms(where).filter((term) => fieldOf(term) === 'died')
  const momentOf = (sign: string): number =>
    Date.parse(terms.find((term) => term.startsWith(`died${sign}`))?.slice(`died${sign}`.length) ?? '')
  const range = { fromMs: momentOf('>='), toMs: momentOf('<') }
  return Number.isNaN(range.fromMs) || Number.isNaN(range.toMs) ? undefined : range
}
