import { ApiError } from 'warrenmq/operations'

/** Far more than any request needs, and far less than a stack holds. */
const mostLevels = 100

/**
 * Refuses JSON that is nested deeper than anything here is meant to go through. A schema leaves some fields open, such as
 * the value of a header, and what walks those calls itself for each level.
 */
export function refuseDeepJson(text: string): void {
  let level = 0
  let at = 0
  while (at < text.length) {
    const character = text.charCodeAt(at)
    if (character === quote) at = endOfText(text, at)
    else if (character === openBrace || character === openBracket) level += 1
    else if (character === closeBrace || character === closeBracket) level -= 1
    if (level > mostLevels) throw tooDeep()
    at += 1
  }
}

const [quote, backslash, openBrace, closeBrace, openBracket, closeBracket] = [34, 92, 123, 125, 91, 93]

/** Where a text in quotes ends; nothing in it is a level. */
function endOfText(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const character = text.charCodeAt(at)
    if (character === backslash) at += 1
    else if (character === quote) return at
  }
  return text.length
}

function tooDeep(): ApiError {
  const message = `The body is nested deeper than ${mostLevels} levels. Send less.`
  return new ApiError({ code: 'API_REQUEST_INVALID', message })
}
