import { endOfValue } from '../wire/name-matcher.ts'
import { type FailurePlaces, messageField } from './read-failure.ts'

/**
 * What was worked out from failures, found again by the bytes that tell them. The digits of an error count as zeros,
 * so that the errors of one cause, each with numbers of its own, are one: see `shapeOfMessage`.
 */
export interface FailureMemory<Answer> {
  recall(headers: Buffer, places: FailurePlaces): Answer | undefined
  /** Keeps the answer to the failure that `recall` was asked for last. */
  remember(answer: Answer): void
}

const mostKept = 512
/** Longer failures are not kept. */
const roomBytes = 4096
/** A value begins with its type tag and its length. */
const valueStart = 5
const absent = Buffer.alloc(1)
/** No shape has this size. */
const tooLong = roomBytes + 1

export function createFailureMemory<Answer>(): FailureMemory<Answer> {
  const kept = new Map<number, { readonly shape: Buffer; readonly answer: Answer }>()
  const shape = Buffer.alloc(roomBytes)
  let size = 0
  let sum = 0

  /** Writes the shape of a failure, field behind field, and sums it up (FNV-1a). */
  function take(headers: Buffer, places: FailurePlaces): void {
    size = 0
    sum = 0x811c9dc5 | 0 // in doubles, because it has no sign, every step would take three times as long
    for (let field = 0; field < places.length; field += 1) {
      const at = places[field]!
      const digitsFrom = field === messageField ? at + valueStart : headers.length
      if (at < 0) takeBytes(absent, 0, 1, 1)
      else takeBytes(headers, at, endOfValue(headers, at), digitsFrom)
    }
  }

  function takeBytes(bytes: Buffer, start: number, end: number, digitsFrom: number): void {
    if (size + end - start > roomBytes) {
      size = tooLong
      return
    }
    let to = size
    let sumSoFar = sum
    for (let at = start; at < end; at += 1) {
      const byte = at >= digitsFrom ? withoutDigit(bytes[at]!) : bytes[at]!
      shape[to] = byte
      sumSoFar = Math.imul(sumSoFar ^ byte, 0x01000193)
      to += 1
    }
    size = to
    sum = sumSoFar
  }

  function isShape(other: Buffer): boolean {
    if (other.length !== size) return false
    for (let at = 0; at < size; at += 1) if (other[at] !== shape[at]) return false
    return true
  }

  return {
    recall: (headers, places) => {
      take(headers, places)
      const found = kept.get(sum)
      return found && isShape(found.shape) ? found.answer : undefined
    },
    remember: (answer) => {
      if (size === tooLong) return
      if (kept.size >= mostKept) kept.clear()
      kept.set(sum, { shape: Buffer.from(shape.subarray(0, size)), answer })
    },
  }
}

function withoutDigit(byte: number): number {
  return byte > 0x30 && byte <= 0x39 ? 0x30 : byte
}
