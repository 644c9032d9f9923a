import type { Schemas } from '../api/api.ts'
import { hexDump } from './hex-dump.ts'

type Body = Schemas['MessageBody']

export interface ShownBody {
  readonly text: string
  /** What was done to it, or what the reader should know. */
  readonly note: string | undefined
}

export interface Bodies {
  readonly body: Body
  readonly decoded: Body | null
}

/** The body for a reader: unpacked, and indented where it is JSON. */
export function showReadableBody({ body, decoded }: Bodies): ShownBody {
  const { encoding, text, isCut, isMasked } = decoded ?? body
  const notes = [
    decoded && 'unpacked',
    isMasked && 'parts are masked',
    isCut && 'only its beginning',
    encoding === 'base64' && 'bytes that are not text, in base64',
  ]
  const indented = encoding === 'utf8' && !isCut ? indentJson(text) : undefined
  const note = notes.filter(Boolean).join('; ')
  return { text: indented ?? text, note: note === '' ? undefined : note }
}

export function showAsItCame({ encoding, text, isCut }: Body): ShownBody {
  const notes = [encoding === 'base64' && 'in base64', isCut && 'only its beginning']
    .filter(Boolean)
    .join('; ')
  return { text, note: notes === '' ? undefined : notes }
}

const mostShownBytes = 16 * 1024

/** Byte by byte, as far as anybody reads that. */
export function showBytes(body: Body): ShownBody {
  const bytes = bytesOf(body)
  const isAll = !body.isCut && bytes.length <= mostShownBytes
  const note = body.isMasked ? 'parts are masked' : isAll ? undefined : 'only its beginning'
  return { text: hexDump(bytes, mostShownBytes), note }
}

function bytesOf({ encoding, text }: Body): Uint8Array {
  if (encoding === 'utf8') return new TextEncoder().encode(text)
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
}

/**
 * Indents without reading the values, so that a number beyond 2^53 and a name that stands twice stay as they are.
 * Undefined: it is no JSON.
 */
export function indentJson(text: string): string | undefined {
  try {
    JSON.parse(text)
  } catch {
    return undefined
  }
  let depth = 0
  const line = (): string => `\n${'  '.repeat(depth)}`
  return text.replaceAll(
    /"(?:[^"\\]|\\.)*"|([{[])(\s*[\]}])?|([}\]])|(,)|(:)|\s+/g,
    (all, open, empty, close, comma, colon) => {
      if (open && empty) return `${open}${empty.trim()}`
      if (open) {
        depth += 1
        return `${open}${line()}`
      }
      if (close) {
        depth -= 1
        return `${line()}${close}`
      }
      if (comma) return `,${line()}`
      if (colon) return ': '
      return all.startsWith('"') ? all : ''
    },
  )
}
