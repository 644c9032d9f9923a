import { ProtocolError } from '../model/protocol-error.ts'

/** A frame that is none: RabbitMQ shows how it begins. */
export function unknownFrame(type: number, payload: Buffer): ProtocolError {
  return new ProtocolError('FRAME_ERROR', `${describeFrame(type, payload)}: unknown_frame`)
}

/** A frame that has no place where it came. */
export function unexpectedFrame(type: number, payload: Buffer): ProtocolError {
  return new ProtocolError('UNEXPECTED_FRAME', describeFrame(type, payload))
}

const shownBytes = 16

function describeFrame(type: number, payload: Buffer): string {
  const octets = payload.length > shownBytes ? `first ${shownBytes}` : 'all'
  return `type ${type}, ${octets} octets = ${renderBytes(payload.subarray(0, shownBytes))}`
}

/** As Erlang prints them: as text where they are printable. */
function renderBytes(bytes: Buffer): string {
  const isPrintable = bytes.length > 0 && bytes.every((byte) => byte >= 0x20 && byte < 0x7f)
  return isPrintable ? `<<${JSON.stringify(bytes.toString('latin1'))}>>` : `<<${[...bytes].join(',')}>>`
}
