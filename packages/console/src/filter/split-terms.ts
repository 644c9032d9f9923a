/**
 * The conditions of a filter that must all hold, as they are written; those side by side, too. An `or` outside of
 * brackets makes it one condition, which gets brackets so that others can join it.
 */
export function splitTerms(where: string | undefined): readonly string[] {
  if (where === undefined || where.trim() === '') return []
  const terms: string[] = []
  let depth = 0
  let term = ''
  for (const [piece] of where.matchAll(pieces)) {
    const word = depth === 0 ? piece.toLowerCase() : ''
    if (word === 'or') return [`(${where.trim()})`]
    if (word === 'and' || (depth === 0 && beginsTerm(term, piece))) {
      terms.push(term.trim())
      term = ''
    }
    if (word !== 'and') term += piece
    if (piece === '(') depth += 1
    if (piece === ')') depth -= 1
  }
  return [...terms, term.trim()].filter((each) => each !== '')
}

/** Whether a piece is no part of the condition before it: that has its value, and is no `not`. */
function beginsTerm(term: string, piece: string): boolean {
  const isApart = /[\s)]$/.test(term) || piece === '('
  const isOpen = /(?:^|[:=<>]|(?:^|\s)not)\s*$/i.test(term) || /^[\s:=<>!]/.test(piece)
  return isApart && !isOpen
}

const pieces = /"(?:[^"\\]|\\.)*"?|[()]|\s+|[^\s"()]+/g

export function joinTerms(terms: readonly string[]): string | undefined {
  return terms.length === 0 ? undefined : terms.join(' and ')
}

/** The field that a condition is about; undefined: it is about several, or about plain words. */
export function fieldOf(term: string): string | undefined {
  return /^(?:not\s+)?([^\s"():=<>!]+)\s*(?:<=|>=|!=|[:=<>])/i.exec(term)?.[1]
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
