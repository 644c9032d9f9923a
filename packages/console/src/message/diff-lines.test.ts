import fc from 'fast-check'
import { expect, it } from 'vitest'
import { diffLines } from './diff-lines.ts'

const signs = { same: ' ', removed: '-', added: '+' } as const
const show = (before: string, after: string): string =>
  diffLines(before, after)
    .map(({ kind, text }) => `${signs[kind]}${text}`)
    .join('|')

it('a changed line is one that went and one that came', () => {
  expect(show('a\nb\nc', 'a\nx\nc\nd')).toBe(' a|-b|+x| c|+d')
  expect(show('a', 'a')).toBe(' a')
})

it('what stayed and went is the old text, and what stayed and came the new one', () => {
  const lines = fc.array(fc.constantFrom('a', 'b', 'c', '{', '}'), { minLength: 1, maxLength: 12 })
  fc.assert(
    fc.property(lines, lines, (old, now) => {
      const found = diffLines(old.join('\n'), now.join('\n'))
      const without = (kind: string) => found.filter((line) => line.kind !== kind).map(({ text }) => text)
      expect(without('added')).toEqual(old)
      expect(without('removed')).toEqual(now)
    }),
  )
})
