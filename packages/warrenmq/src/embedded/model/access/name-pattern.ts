import { bytesOfText } from '../../../wire/short-text.ts'

/**
 * A pattern over names, as policies and permissions have them. RabbitMQ hands it to PCRE, which looks at bytes; here
 * it is read by JavaScript, so what the two do not read alike is not taken.
 */
export type NamePattern =
  | { readonly kind: 'pattern'; readonly matches: (name: string) => boolean }
  /** No regular expression at all. */
  | { readonly kind: 'invalid' }
  /** PCRE may know it; JavaScript does not, or means something else by it. */
  | { readonly kind: 'not-modelled'; readonly part: string }

export function readPattern(pattern: string): NamePattern {
  const [, options = '', rest = ''] = /^(?:\(\?([a-zA-Z-]+)\))?(.*)$/s.exec(pattern)!
  if (/[^ims]/.test(options)) return { kind: 'not-modelled', part: `(?${options})` }
  const unlike = rest.match(parts)?.find((part) => !isReadAlike(part))
  if (unlike !== undefined) return { kind: 'not-modelled', part: unlike }
  try {
    const source = rest.replaceAll(escapes, (part) => anchors[part] ?? part)
    const expression = new RegExp(asBytes(source), [...new Set(options)].join(''))
    return { kind: 'pattern', matches: (name) => expression.test(asBytes(name)) }
  } catch {
    return { kind: 'invalid' }
  }
}

/** Whether the pattern finds the name. One that cannot be read is refused where it is set, and finds nothing. */
export function matchesPattern(pattern: string, name: string): boolean {
  const read = readPattern(pattern)
  return read.kind === 'pattern' && read.matches(name)
}

/** Says of a pattern that cannot be read why, to whoever wants to set it. */
export function sayNotModelled(part: string): string {
  return `${part} in a pattern is not modelled by the embedded broker`
}

/** What has to be looked at: escapes, whole classes of characters, what a group begins with, possessive quantifiers. */
const parts = /\\x[\da-fA-F]{2}|\\.|\[\^?\]|\[\^?(?:\\.|[^\]\\])+\]|\(\?<?[^)]?|\(\*|[*+?}]\+/gs
const escapes = /\\x[\da-fA-F]{2}|\\./gs

/** JavaScript writes these otherwise. */
const anchors: Readonly<Record<string, string>> = { '\\A': '^', '\\Z': '$', '\\z': '$' }

function isReadAlike(part: string): boolean {
  if (part.startsWith('\\')) {
    return part in anchors || /^\\(?:[dDwWsSbBnrtf1-9]|x[\da-fA-F]{2}|[^a-zA-Z0-9])$/.test(part)
  }
  if (part.startsWith('[')) {
    const isNamed = /\[[:.=]/.test(part.slice(1))
    return !isNamed && !/^\[\^?\]$/.test(part) && (part.match(escapes)?.every(isReadAlike) ?? true)
  }
  return /^\(\?(?:[:=!]|<[=!a-zA-Z_])$/.test(part)
}

function asBytes(text: string): string {
  return bytesOfText(text).toString('latin1')
}
