/**
 * The conditions of a filter that must all hold, as they are written. An `or` outside of brackets makes it one
 * condition, which gets brackets so that others can join it.
 */
export function splitTerms(where: string | undefined): readonly string[] {
  if (where === undefined || where.trim() === '') return []
  const terms: string[] = []
  let depth = 0
  let term = ''
  for (const [piece] of where.matchAll(pieces)) {
    if (piece === '(') depth += 1
    if (piece === ')') depth -= 1
    const word = depth === 0 ? piece.toLowerCase() : ''
    if (word === 'or') return [`(${where.trim()})`]
    if (word === 'and') {
      terms.push(term.trim())
      term = ''
    } else term += piece
  }
  return [...terms, term.trim()].filter((each) => each !== '')
}

const pieces = /"(?:[^"\\]|\\.)*"?|[()]|\s+|[^\s"()]+/g

export function joinTerms(terms: readonly string[]): string | undefined {
  return terms.length === 0 ? undefined : terms.join(' and ')
}

/** The field that a condition is about; undefined: it is about several, or about plain words. */
export function fieldOf(term: string): string | undefined {
  return /^(?:not\s+)?([\w.-]+)\s*(?:<=|>=|!=|[:=<>])/i.exec(term)?.[1]
}

export function withoutField(where: string | undefined, field: string): string | undefined {
  return joinTerms(splitTerms(where).filter((term) => fieldOf(term) !== field))
}

/** With these conditions in place of those about their field; without them, where they are all there already. */
export function toggleTerms(
  where: string | undefined,
  field: string,
  terms: readonly string[],
): string | undefined {
  const now = splitTerms(where)
  const others = now.filter((term) => fieldOf(term) !== field)
  const isThere = terms.length > 0 && terms.every((term) => now.includes(term))
  return joinTerms(isThere ? others : [...others, ...terms])
}

export function hasTerm(where: string | undefined, term: string): boolean {
  return splitTerms(where).includes(term)
}
