import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { ConnectionError, InvalidArgumentError, WarrenError, WireError } from './errors.ts'

const source = readFileSync(new URL('./errors.ts', import.meta.url), 'utf8')
const reference = readFileSync(new URL('../../../docs/reference/errors.md', import.meta.url), 'utf8')

/** A code is the only thing in that file that is written in capitals with an underscore. */
const codes = [...new Set(source.match(/\b[A-Z]+(?:_[A-Z]+)+\b/g))].toSorted()
const entries = [...reference.matchAll(/^\| `([A-Z_]+)` +\| (.+?) +\| (.+?) +\|$/gm)].map(
  ([, code, meaning, wayOut]) => ({ code: code!, meaning: meaning!, wayOut: wayOut! }),
)

describe('the reference of errors', () => {
  it.each(codes)('says of %s what it means and what to do', (code) => {
    const entry = entries.find((candidate) => candidate.code === code)

    expect(entry, `docs/reference/errors.md has no row for ${code}`).toBeDefined()
    expect(entry!.meaning).toMatch(/\w.*\.$/)
    expect(entry!.wayOut).toMatch(/\w.*\.$/)
  })

  it('has each code once, and none that no error has', () => {
    expect(entries.map(({ code }) => code).toSorted()).toEqual(codes)
  })
})

describe('an error of Warren', () => {
  it('is named after its class and keeps its cause', () => {
    const cause = new Error('socket hang up')
    const error = new ConnectionError(
      { code: 'CONNECTION_LOST', message: 'The connection is lost.' },
      { cause },
    )

    expect(error).toBeInstanceOf(WarrenError)
    expect(error).toBeInstanceOf(Error)
    expect(error).toMatchObject({ name: 'ConnectionError', code: 'CONNECTION_LOST', isFinal: false, cause })
    expect(new InvalidArgumentError('No.')).toMatchObject({
      name: 'InvalidArgumentError',
      code: 'INVALID_ARGUMENT',
    })
  })

  it('of the wire says at which byte', () => {
    const error = new WireError({ code: 'WIRE_BAD_FRAME', detail: 'Unknown frame type 9', offset: 12 })

    expect(error).toMatchObject({ message: 'Unknown frame type 9 (at byte 12).', offset: 12 })
  })
})
