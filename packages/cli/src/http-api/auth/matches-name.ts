import { RE2JS } from 're2js'
import { bytesOfText } from 'warrenmq/operations'

/**
 * Whether a name is within a permission. RabbitMQ hands the pattern to PCRE, which looks at bytes, and whose time nobody
 * can bound. Here an engine reads it that takes as long as the name is; what that one cannot read, or may read otherwise
 * than PCRE, finds nothing. So whoever is shown a queue may read it, and somebody who may is told so at worst to ask
 * RabbitMQ itself.
 */
export function matchesName(pattern: string, name: string): boolean {
  if (pattern === '.*') return true
  if (pattern === '') return name === '' // RabbitMQ takes the empty one for "nothing"
  // What is a space, an end of a line or the end of the text is another matter to each engine.
  if (controls.test(name)) return false
  const found = compiled.get(pattern) ?? compile(pattern)
  if (!found || (found.isAsciiOnly && nonAscii.test(name))) return false
  return found.expression.test(asBytes(name))
}

interface Compiled {
  readonly expression: RE2JS
  /** Case is folded by Unicode here, and by ASCII there. */
  readonly isAsciiOnly: boolean
}

const compiled = new Map<string, Compiled | undefined>()
/** Accounts have few patterns, and each list asks for one over and over. */
const mostCompiled = 1_000
const longest = 2_000

const controls = /\p{Cc}/u
const nonAscii = /[^ -~]/
/** Read by both, and not alike: what is beyond a byte, properties of Unicode, `\v`, `\C`, and a count without a least. */
const unlike = /\\[pPvC]|\\x\{|\{,/

function compile(pattern: string): Compiled | undefined {
  if (compiled.size >= mostCompiled) compiled.clear()
  const read = readPattern(pattern)
  compiled.set(pattern, read)
  return read
}

function readPattern(pattern: string): Compiled | undefined {
  if (pattern.length > longest || unlike.test(pattern)) return undefined
  try {
    return { expression: RE2JS.compile(asBytes(pattern)), isAsciiOnly: /\(\?[a-zA-Z-]*i/.test(pattern) }
  } catch {
    return undefined
  }
}

function asBytes(text: string): string {
  return bytesOfText(text).toString('latin1')
}
