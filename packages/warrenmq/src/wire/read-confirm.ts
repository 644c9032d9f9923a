import { WireError } from '../errors.ts'
import { readTag } from './methods.ts'

const confirmBytes = 13

/** Reads a `basic.ack` or `basic.nack` of the broker, which is most of what a publisher receives. */
export function readConfirm(payload: Buffer): { readonly tag: number; readonly multiple: boolean } {
  if (payload.length !== confirmBytes) {
    throw new WireError({
      code: payload.length < confirmBytes ? 'WIRE_TRUNCATED' : 'WIRE_TRAILING_BYTES',
      detail: 'A confirm does not end where its fields do',
      offset: Math.min(payload.length, confirmBytes),
    })
  }
  return { tag: readTag(payload, 4), multiple: (payload[12]! & 1) === 1 }
}
