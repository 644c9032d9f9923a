import fc from 'fast-check'
import { expect, it } from 'vitest'
import { StateSet } from './state-set.ts'
import { createValueHash } from './value-hash.ts'

const hash = createValueHash()
const leaf = fc.oneof(fc.integer(), fc.boolean(), fc.string(), fc.double(), fc.constant(undefined))
const value = fc.oneof(
  leaf,
  fc.array(leaf),
  fc.array(fc.array(leaf)),
  fc.record({ one: leaf, other: fc.array(leaf) }),
)

it('a set of states has what was put in, and nothing else', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.integer(), { maxLength: 200 }), fc.integer(), (numbers, other) => {
      const states = new StateSet()

      for (const number of numbers) states.add(hash(number))

      expect(states.size).toBe(numbers.length)
      expect(numbers.every((number) => states.has(hash(number)))).toBe(true)
      expect(states.has(hash(other))).toBe(numbers.includes(other))
    }),
  )
})

it('a set of states grows', () => {
  const states = new StateSet()

  for (let state = 0; state < 200_000; state += 1) states.add(hash([state, 'taking']))

  expect(states.size).toBe(200_000)
  expect(states.has(hash([199_999, 'taking']))).toBe(true)
  expect(states.has(hash([200_000, 'taking']))).toBe(false)
})

it('values have the same hash if they are the same, and another if not', () => {
  fc.assert(
    fc.property(value, value, (one, other) => {
      const isSame = JSON.stringify(toPlain(one)) === JSON.stringify(toPlain(other))

      expect(hash(structuredClone(one))).toEqual(hash(one))
      expect(isEqual(hash(one), hash(other))).toBe(isSame)
    }),
  )
})

/** With what JSON would not tell apart. */
function toPlain(plain: unknown): unknown {
  if (Array.isArray(plain)) return plain.map(toPlain)
  if (typeof plain === 'object' && plain !== null)
    return Object.entries(plain).map(([, each]) => ['of', toPlain(each)])
  return `${typeof plain} ${Object.is(plain, -0) ? 0 : plain}`
}

function isEqual(one: { high: number; low: number }, other: { high: number; low: number }): boolean {
  return one.high === other.high && one.low === other.low
}
