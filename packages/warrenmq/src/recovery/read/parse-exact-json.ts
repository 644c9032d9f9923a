/**
 * The value of a JSON text; undefined if it is not JSON. Whole numbers beyond 2^53 come as text with all their digits:
 * rounded, one message would look like its neighbour.
 */
export function parseExactJson(text: string): unknown {
  try {
    return JSON.parse(/\d{16}/.test(text) ? quoteLongIntegers(text) : text)
  } catch {
    return undefined
  }
}

function quoteLongIntegers(json: string): string {
  const parts: string[] = []
  let copied = 0
  for (let at = 0; at < json.length; ) {
    if (json[at] === '"') {
      at = endOfText(json, at)
      continue
    }
    if (!isNumberCharacter(json, at)) {
      at += 1
      continue
    }
    const start = at
    while (isNumberCharacter(json, at)) at += 1
    const number = json.slice(start, at)
    if (!/^-?\d+$/.test(number) || Number.isSafeInteger(Number(number))) continue
    parts.push(json.slice(copied, start), '"', number, '"')
    copied = at
  }
  return parts.join('') + json.slice(copied)
}

function endOfText(json: string, start: number): number {
  let at = start + 1
  while (at < json.length && json[at] !== '"') at += json[at] === '\\' ? 2 : 1
  return at + 1
}

function isNumberCharacter(json: string, at: number): boolean {
  const character = json[at]
  return character !== undefined && '0123456789+-.eE'.includes(character)
}
