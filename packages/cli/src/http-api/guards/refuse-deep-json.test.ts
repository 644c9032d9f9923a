import fc from 'fast-check'
import { expect, it } from 'vitest'
import { refuseDeepJson } from './refuse-deep-json.ts'

const nested = (levels: number): string => `${'[{"a":'.repeat(levels / 2)}1${'}]'.repeat(levels / 2)}`

it.each([100, 2])('JSON of %i levels is read', (levels) => {
  expect(() => refuseDeepJson(nested(levels))).not.toThrow()
})

it.each([102, 200_000])('JSON of %i levels is refused', (levels) => {
  expect(() => refuseDeepJson(nested(levels))).toThrow('deeper than 100 levels')
})

it('brackets in texts are no levels, and neither are many side by side', () => {
  const texts = ['['.repeat(500), '"{', '\\', '\\"[', '{\\"']

  expect(() => refuseDeepJson(JSON.stringify(texts))).not.toThrow()
  expect(() => refuseDeepJson(`[${'[],{},'.repeat(500)}1]`)).not.toThrow()
  expect(() => refuseDeepJson(`["\\"${'['.repeat(500)}",${nested(102)}]`)).toThrow('deeper')
})

it('whatever is sent is refused or let through, JSON or not', () => {
  const piece = fc.constantFrom('[', ']', '{', '}', '"', '\\', 'a', ':', ',')

  fc.assert(
    fc.property(fc.string({ unit: piece, maxLength: 400 }), (text) => {
      const wantsDeep = isJson(text) && depthOf(JSON.parse(text)) > 100
      let isRefused = false
      try {
        refuseDeepJson(text)
      } catch {
        isRefused = true
      }
      expect(isRefused || !wantsDeep).toBe(true)
    }),
  )
})

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return 1 + Math.max(0, ...Object.values(value).map(depthOf))
}
