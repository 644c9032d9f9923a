import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { decideRepeat, type SeenNumbers } from './decide-repeat.ts'
import { createRecordSeals } from './record-seals.ts'
import { parseServerKeys, readServerKeys } from './server-keys.ts'

const keyOf = (letter: string): string => letter.repeat(32)
const place = { vhost: '/', stream: 'warren.tasks' }
const seals = (keys: string, where = place) => createRecordSeals(parseServerKeys(keys, 'The test'), where)
const body = Buffer.from('{"kind":"hello"}')

describe('a seal', () => {
  it('is known to anybody who has the key, with its writer and a number that counts up', () => {
    const writing = seals(keyOf('a'))
    const proofs = [1, 2].map(() => seals(keyOf('a')).judge(writing.seal(body), body))

    expect(proofs).toEqual([
      { kind: 'signed', writer: expect.any(String), number: 1, isSentAgain: false },
      { kind: 'signed', writer: expect.any(String), number: 2, isSentAgain: false },
    ])
    expect(new Set(proofs.map((proof) => (proof as { writer: string }).writer)).size).toBe(1)
  })

  it('that is missing proves nothing', () => {
    expect(seals(keyOf('a')).judge(undefined, body)).toEqual({ kind: 'unsigned' })
  })

  it.each<[string, { keys?: string; where?: typeof place; text?: Buffer }]>([
    ['another key', { keys: keyOf('b') }],
    ['another stream', { where: { ...place, stream: 'warren.notices' } }],
    ['another vhost', { where: { ...place, vhost: 'x' } }],
    ['another body', { text: Buffer.from('{"kind":"Hello"}') }],
  ])('is none of ours for %s', (_, { keys = keyOf('a'), where = place, text = body }) => {
    expect(seals(keys, where).judge(seals(keyOf('a')).seal(body), text).kind).toBe('not-ours')
  })

  it('is none of ours with any letter changed, and for any text, and never throws', () => {
    const ours = seals(keyOf('a'))
    const seal = ours.seal(body)

    fc.assert(
      fc.property(
        fc.nat(seal.length - 1),
        fc.string({ minLength: 1, maxLength: 1 }),
        fc.string(),
        (at, letter, text) => {
          const changed = seal.slice(0, at) + letter + seal.slice(at + 1)
          expect(ours.judge(changed, body).kind).toBe(changed === seal ? 'signed' : 'not-ours')
          expect(ours.judge(text, body).kind).toBe('not-ours')
        },
      ),
    )
  })
})

describe('a key', () => {
  it('is replaced while records of both are believed: the first one writes', () => {
    const [before, meanwhile, after] = [keyOf('a'), `${keyOf('b')},${keyOf('a')}`, keyOf('b')]
    const judge = (by: string, of: string) => seals(by).judge(seals(of).seal(body), body).kind

    expect([judge(meanwhile, before), judge(meanwhile, meanwhile), judge(after, meanwhile)]).toEqual(
      Array.from({ length: 3 }, () => 'signed'),
    )
    expect([judge(after, before), judge(before, meanwhile)]).toEqual(['not-ours', 'not-ours'])
  })

  it('comes from the environment or from a file, and without either this process makes one', () => {
    const folder = mkdtempSync(join(tmpdir(), 'warren-key-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const file = join(folder, 'key')
    writeFileSync(file, `${keyOf('b')}\n${keyOf('a')}\n`)
    const env = { WARREN_SERVER_KEY: `${keyOf('b')}, ${keyOf('a')}` }

    expect(readServerKeys({}, file)).toEqual(readServerKeys(env))
    expect(readServerKeys(env)).toMatchObject({ isShared: true, keys: [{ length: 32 }, { length: 32 }] })
    expect(readServerKeys({ WARREN_SERVER_KEY: '' })).toMatchObject({ isShared: false })
    expect(readServerKeys({}).keys).not.toEqual(readServerKeys({}).keys)
    expect(() => readServerKeys(env, file)).toThrow('Keep one of them')
    expect(() => readServerKeys({}, join(folder, 'none'))).toThrow('cannot be read (ENOENT)')
  })

  it.each(['a', 'a'.repeat(31), `${keyOf('a')},short`, ' , '])(
    'that can be guessed is refused: %j',
    (text) => {
      expect(() => readServerKeys({ WARREN_SERVER_KEY: text })).toThrow(
        /^WARREN_SERVER_KEY contains (a key of|no key)/,
      )
    },
  )
})

describe('a record', () => {
  const readInto =
    (seen: SeenNumbers) =>
    (number: number, { isSentAgain = false, writer = 'a' } = {}) =>
      decideRepeat(seen, { writer, number, isSentAgain })

  it('that is read again is a copy, also of one that came late', () => {
    const read = readInto(new Map())

    const told = [read(1), read(3), read(2), read(2), read(1), read(1, { writer: 'b' })]

    expect(told).toEqual(['new', 'new', 'new', 'replayed', 'replayed', 'new'])
  })

  it('that its writer sent twice is known, whichever comes first, and a third one is a copy', () => {
    const read = readInto(new Map())
    const again = { isSentAgain: true }

    expect([read(1), read(1, again), read(1), read(1, again)]).toEqual([
      ...['new', 'known', 'replayed', 'replayed'],
    ])
    expect([read(2, again), read(2), read(2, again)]).toEqual(['new', 'known', 'replayed'])
  })

  it('of long ago is a copy, and what is remembered does not grow', () => {
    const seen: SeenNumbers = new Map()
    const read = readInto(seen)
    for (let number = 1; number <= 10_000; number += 1) read(number)

    expect([read(9_000), read(9_000, { isSentAgain: true })]).toEqual(['replayed', 'replayed'])
    expect(read(10_001)).toBe('new')
    expect(seen.get('a')!.recent.size).toBeLessThanOrEqual(2_001)
  })

  it('that is sent again keeps its number and says so under its seal', () => {
    const writing = seals(keyOf('a'))
    const first = writing.seal(body)
    const again = writing.seal(body, first)
    const judged = [first, again, writing.seal(body)].map((seal) => seals(keyOf('a')).judge(seal, body))

    expect(judged).toMatchObject([
      { number: 1, isSentAgain: false },
      { number: 1, isSentAgain: true },
      { number: 2, isSentAgain: false },
    ])
    expect(seals(keyOf('a')).judge(first.replace(' 1 ', ' 1+ '), body).kind).toBe('not-ours')
  })
})
