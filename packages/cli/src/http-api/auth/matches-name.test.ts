import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { matchesName } from './matches-name.ts'

describe('a permission', () => {
  it.each<[string, string, boolean]>([
    ['.*', 'hr.dlq', true],
    ['', 'hr.dlq', false],
    ['', '', true],
    ['^hr\\.', 'hr.dlq', true],
    ['^hr\\.', 'hrx', false],
    ['dlq', 'hr.dlq', true],
    ['^(hr|it)\\..*$', 'it.dlq', true],
    ['\\Qhr.\\E', 'hrx', false],
    ['^[[:alpha:]]+$', 'dlq', true],
    ['(?i)^HR', 'hr.dlq', true],
    ['^größe', 'größe.dlq', true],
    ['^gr..?.?e', 'größe', false],
    ['^gr....e', 'größe', true],
  ])('%j of %j is %s', (pattern, name, isMatch) => {
    expect(matchesName(pattern, name)).toBe(isMatch)
  })

  it.each([
    ['what only a search that goes back can tell', '^(?!hr\\.).*'],
    ['the same with a quotation, which JavaScript reads otherwise', '^(?!\\Qhr.\\E).*'],
    ['what stands before', '(?<!hr)\\.dlq'],
    ['what was found before', '^(.)\\1'],
    ['a group that gives nothing back', '^(?>hr|it).*'],
    ['a quantifier that gives nothing back', '^h++'],
    ['a property of Unicode', '^\\P{Lu}'],
    ['a character beyond a byte', '[^\\x{100}]'],
    ['no pattern at all', '('],
    ['a pattern that is too long', `^(${'a|'.repeat(2_000)}.*)`],
  ])('that asks for %s finds nothing', (_, pattern) => {
    expect(['it.dlq', 'hhx', 'hr.dlq'].map((name) => matchesName(pattern, name))).toEqual([
      false,
      false,
      false,
    ])
  })

  it('finds no name with a control, and folds no case beyond ASCII', () => {
    expect(matchesName('^hr$', 'hr\n')).toBe(false)
    expect(matchesName('^[^\\s]+$', 'a\u000b')).toBe(false)
    expect(matchesName('(?i)^É$', 'é')).toBe(false)
  })

  it.each(['^(\\w+\\.?)+$', '^(a+)+$', '(a|a)*b', '^(([a-z])+.)+[A-Z]([a-z])+$'])(
    'that freezes others does not: %s',
    (pattern) => {
      const name = `${'a'.repeat(254)}!`

      expect(matchesName(pattern, name)).toBe(false)
    },
  )

  it('of any text neither throws nor finds what it should not: a name that is only letters', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (pattern, name) => {
        expect(typeof matchesName(pattern, name)).toBe('boolean')
        expect(matchesName('^[a-z]+$', name)).toBe(/^[a-z]+$/.test(name))
      }),
    )
  })
})
