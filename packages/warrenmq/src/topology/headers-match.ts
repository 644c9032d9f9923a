import type { Arguments } from './declaration.ts'
import { isSameValue } from './is-same-value.ts'

/** Whether a headers exchange passes a message on through a binding with these arguments. */
export function isHeadersMatch(binding: Arguments, headers: Arguments): boolean {
  const match = binding['x-match'] ?? 'all'
  // Names that start with x- take part only where the match says so.
  const takesAll = match === 'all-with-x' || match === 'any-with-x'
  const wanted = Object.entries(binding).filter(
    ([name]) => name !== 'x-match' && (takesAll || !name.startsWith('x-')),
  )
  const isMet = ([name, value]: (typeof wanted)[number]) =>
    Object.hasOwn(headers, name) && isSameValue(headers[name], value)
  return match === 'any' || match === 'any-with-x' ? wanted.some(isMet) : wanted.every(isMet)
}
