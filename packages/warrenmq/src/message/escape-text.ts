/** C0 and C1 controls, DEL, other ends of lines, and the marks that turn text around. Lines and tabs are meant. */
const acting = /(?![\n\t])[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu
const breaking = /[\n\t]/g

/**
 * What a message, a queue or a broker says, so that a terminal shows it and does not obey it: an escape sequence could
 * clear the screen, rename the window or hide lines. Written as JSON writes it, so that a line of JSON stays one.
 * @example
 * ```ts
 * console.log(escapeText(text))
 * ```
 */
export function escapeText(text: string): string {
  return text.replace(acting, escapeCharacter)
}

/**
 * The same for what stands on one line with other things: it may not begin a line that looks like one of ours.
 * @example
 * ```ts
 * console.log(`queue: ${escapeLine(queue)}`)
 * ```
 */
export function escapeLine(text: string): string {
  return escapeText(text).replace(breaking, (character) => (character === '\n' ? '\\n' : '\\t'))
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
