import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { type IncomingMessage, messageFilter, parseFilter } from 'warrenmq/operations'
import { allStepsOf } from '../../../../../test/support/all-steps-of.ts'
import { anyLetter, columnsOf, deadLetter } from '../../../../../test/support/arbitrary/letters.ts'
import { listMarks } from '../../../../../test/support/arbitrary/marks.ts'
import { isMarked } from './marks.ts'
import { matchColumns } from './match-columns.ts'
import { rowsPerBlock } from './value-rows.ts'

const asOfMs = Date.UTC(2030, 0, 31)

const indexed = [
  ...[
    'type:A',
    'type:A*',
    'type!=A',
    'cause:timeout',
    'cause!=timeout',
    'queue:work',
    'queue!=work',
    'queue:*',
  ],
  ...[
    'exchange:ex',
    'exchange!=ex',
    'key:k.*',
    'id:m-1',
    'id!=m-1',
    'id:m*',
    'id:m-*1',
    'id!=m*',
    'id:*1',
    'id:é*',
    'id>3',
    'id:""',
  ],
  ...['attempts>=2', 'attempts:2', 'attempts!=2', 'attempts<1', 'died<2h', 'died<=2h', 'died>2h', 'died>=1d'],
  ...['died>2030-01-31', 'died<=2030-01-31T12:00:05Z', 'not died>=2030-01-31T12:00:05.000Z'],
]
const ofFile = ['header.tenant:acme', 'header.tenant!=acme', 'body.at:1', 'body.at>1', 'needle']
const anyFilter = fc.letrec<{ filter: string }>((tie) => ({
  filter: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(...indexed, ...ofFile),
    fc
      .tuple(tie('filter'), fc.constantFrom('and', 'or'), tie('filter'))
      .map(([a, by, b]) => `(${a}) ${by} (${b})`),
    tie('filter').map((part) => `not (${part})`),
  ),
})).filter

function differentLetter(at: number): IncomingMessage {
  return deadLetter({ id: `m-${at}`, type: `T${at}`, key: `k.${at}`, attempts: at })
}

describe('a filter asked of columns', () => {
  test('selects what it selects of messages, and never leaves one out', () => {
    fc.assert(
      fc.property(fc.array(anyLetter, { maxLength: 8 }), anyFilter, (letters, source) => {
        const messages: readonly IncomingMessage[] = letters.map(deadLetter)
        const filter = parseFilter(source)

        const { marks, isExact } = allStepsOf(matchColumns(filter, columnsOf(messages), asOfMs)).result

        const wanted = messages.map(messageFilter(filter, asOfMs))
        for (const [at, isWanted] of wanted.entries())
          if (isExact || isWanted) expect(isMarked(marks, at), `${source} of ${at}`).toBe(isWanted)
      }),
      { numRuns: 1_000 },
    )
  })

  test('selects the same of so many that it knows the rows of each value', () => {
    // A few kinds of messages many times, so that each kind is asked once, and in stretches, as they die.
    const kinds = fc.sample(anyLetter, { numRuns: 60, seed: 1 }).map(deadLetter)
    const kindOf = (at: number): number =>
      at % 3 === 0 ? Math.floor(at / 1_500) % kinds.length : Math.imul(at, 2_654_435_761) >>> 26
    const rows = Array.from({ length: rowsPerBlock + 999 }, (_, at) => kindOf(at) % kinds.length)
    const columns = columnsOf(rows.map((kind) => kinds[kind]!))
    fc.assert(
      fc.property(anyFilter, (source) => {
        const filter = parseFilter(source)

        const { marks, isExact } = allStepsOf(matchColumns(filter, columns, asOfMs)).result

        const wanted = kinds.map(messageFilter(filter, asOfMs))
        const wrong = rows.findIndex((kind, at) =>
          isExact ? isMarked(marks, at) !== wanted[kind] : wanted[kind] === true && !isMarked(marks, at),
        )
        expect(wrong, source).toBe(-1)
      }),
      { numRuns: 100 },
    )
  })

  it.each(indexed)('needs no file for %s', (source) => {
    expect(allStepsOf(matchColumns(parseFilter(source), columnsOf([]), asOfMs)).result.isExact).toBe(true)
  })

  it.each(ofFile)('needs the file for %s, and for not, and or with it', (source) => {
    for (const whole of [source, `not ${source}`, `type:A and ${source}`])
      expect(allStepsOf(matchColumns(parseFilter(whole), columnsOf([]), asOfMs)).result.isExact).toBe(false)
  })

  it('leaves out for the file what the index refutes', () => {
    const columns = columnsOf(['A', 'B', 'A'].map((type) => deadLetter({ type })))

    const { result } = allStepsOf(matchColumns(parseFilter('type:A and body.at:1'), columns, asOfMs))

    expect(listMarks(result.marks)).toEqual([true, false, true])
  })

  it.each(['id', 'type', 'key', 'attempts'])(
    'is asked in steps, so that others have their turn between many conditions on many values: %s',
    (field) => {
      const columns = columnsOf(Array.from({ length: 10_000 }, (_, at) => differentLetter(at)))
      const where = Array.from({ length: 20 }, (_, at) => `${field}:*${at}*`).join(' or ')

      const { steps } = allStepsOf(matchColumns(parseFilter(where), columns, asOfMs))

      expect(steps).toBeGreaterThan((20 * 10_000) / 2_500)
    },
  )

  it('marks the messages that there were at the first step, whatever comes between two', () => {
    const columns = columnsOf(Array.from({ length: 5_000 }, (_, at) => differentLetter(at)))
    const filter = parseFilter('id:*1* and type:*1* and key:*1* and attempts>1 and died>1ms')
    const searching = matchColumns(filter, columns, asOfMs)

    let step = searching.next()
    for (let at = 5_000; !step.done; at += 1) {
      columns.add(differentLetter(at), String(at).padStart(32, '0'), { block: 0, offset: at })
      step = searching.next()
    }

    expect(step.value.marks).toHaveLength(5_000)
  })
})
