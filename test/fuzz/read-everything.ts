import { WireError } from '../../packages/warrenmq/src/errors.ts'
import { decodeTable } from '../../packages/warrenmq/src/wire/decode-table.ts'
import { editTable, findHeader, headerNames } from '../../packages/warrenmq/src/wire/edit-table.ts'
import { encodeTable } from '../../packages/warrenmq/src/wire/encode-table.ts'
import { createFrameParser, type FrameLimits } from '../../packages/warrenmq/src/wire/frame-parser.ts'
import { decodeMethod, encodeMethod } from '../../packages/warrenmq/src/wire/methods.ts'
import { toPlainTable } from '../../packages/warrenmq/src/wire/plain-fields.ts'
import {
  decodeProperties,
  editProperties,
  encodeProperties,
} from '../../packages/warrenmq/src/wire/properties.ts'
import { readHeader } from '../support/read-header.ts'

/**
 * Reads a stream as a connection would, and more thoroughly: every payload is decoded in every way there
 * is. Throws when anything but a WireError with its offset comes out, or when a bound is broken.
 */
export function readEverything(chunks: readonly Buffer[], limits: FrameLimits): void {
  const streamBytes = chunks.reduce((size, chunk) => size + chunk.length, 0)
  let calls = 0
  const parser = createFrameParser(
    {
      method: (_, payload) => {
        calls += 1
        readMethod(payload)
      },
      header: (_, payload) => {
        calls += 1
        readProperties(payload.subarray(12))
      },
      body: (_, piece) => {
        calls += 1
        if (piece.length === 0) throw new Error('An empty piece of a body was handed over.')
      },
      heartbeat: () => {
        calls += 1
      },
    },
    limits,
  )
  refusesOnlyAsWireError(streamBytes, () => {
    for (const chunk of chunks) {
      parser.push(chunk)
      if (parser.heldBytes() > Math.max(limits.headerBytes, 7)) {
        throw new Error(`${parser.heldBytes()} bytes are held; the limit is ${limits.headerBytes}.`)
      }
    }
  })
  // Frames have at least eight bytes, and a body gives at most one piece more per chunk.
  if (calls > streamBytes / 8 + chunks.length + 1) throw new Error(`${calls} calls for ${streamBytes} bytes.`)
}

/** What is accepted can be written again, and reads the same. */
export function readMethod(payload: Buffer): void {
  refusesOnlyAsWireError(payload.length, () => {
    const method = decodeMethod(payload)
    const again = encodeMethod(method)
    if (!encodeMethod(decodeMethod(again)).equals(again))
      throw new Error(`${method.name} changes when written.`)
  })
}

/** What is accepted is the same bytes after decode and encode, and after an edit that edits nothing. */
export function readProperties(raw: Buffer): void {
  refusesOnlyAsWireError(raw.length, () => {
    const { headers, ...others } = decodeProperties(raw)
    expectSame('properties', raw, encodeProperties({ ...others, headers }))
    if (headers) readTable(headers)
    refusesOnlyAsWireError(raw.length, () => {
      expectSame('edited properties', raw, editProperties(raw, { headers: {} }))
      readHeader(raw, 'x-death')
    })
  })
}

export function readTable(bytes: Buffer): void {
  refusesOnlyAsWireError(bytes.length, () => {
    const table = decodeTable(bytes)
    if (table.length * 2 > bytes.length) throw new Error(`${table.length} entries in ${bytes.length} bytes.`)
    expectSame('a table', bytes, encodeTable(table))
    toPlainTable(table)
    for (const { name } of table) {
      if (!findHeader(bytes, name)) throw new Error(`The header ${JSON.stringify(name)} is not found.`)
    }
  })
  refusesOnlyAsWireError(bytes.length, () => {
    headerNames(bytes)
    expectSame('an edited table', bytes, editTable(bytes, {}))
  })
}

function refusesOnlyAsWireError(inputBytes: number, read: () => void): void {
  try {
    read()
  } catch (error) {
    if (!(error instanceof WireError)) throw error
    if (!Number.isInteger(error.offset) || error.offset < 0 || error.offset > inputBytes) {
      throw new Error(`The offset ${error.offset} is not in the ${inputBytes} bytes.`, { cause: error })
    }
  }
}

function expectSame(what: string, wanted: Buffer, got: Buffer): void {
  if (!wanted.equals(got)) {
    throw new Error(`${what}: ${wanted.toString('hex')} became ${got.toString('hex')}.`)
  }
}
