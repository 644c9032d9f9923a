import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { InvalidArgumentError } from '../errors.ts'
import { compareBrokerVersions, isAtLeast, parseBrokerVersion } from './broker-version.ts'

describe('parseBrokerVersion', () => {
  it.each([
    ['3.10.8', [3, 10, 8, undefined]],
    ['4.3.6', [4, 3, 6, undefined]],
    ['4.0', [4, 0, 0, undefined]],
    ['v4.1.2', [4, 1, 2, undefined]],
    ['4.0.5+debian', [4, 0, 5, undefined]],
    ['4.0.5-6+deb13u1', [4, 0, 5, undefined]],
    ['4.0.5+12.g0a1b2c3', [4, 0, 5, undefined]],
    ['4.1.0-beta.3', [4, 1, 0, 'beta.3']],
    ['4.0.0-rc.1', [4, 0, 0, 'rc.1']],
    ['4.0.0+beta.1.52.g1234567', [4, 0, 0, 'beta.1']],
    ['4.2.0-alpha.abcdef', [4, 2, 0, 'alpha.']],
    [' 3.13.7 ', [3, 13, 7, undefined]],
  ])('%j is read', (text, [major, minor, patch, preRelease]) => {
    const version = parseBrokerVersion(text)

    expect(version).toEqual({ text: text.trim(), major, minor, patch, preRelease })
  })

  it.each(['', '4', 'four', '4.x', '-4.0', '4..0', '99999.1'])(
    '%j is refused with examples of what to write',
    (text) => {
      expect(() => parseBrokerVersion(text)).toThrow(InvalidArgumentError)
      expect(() => parseBrokerVersion(text)).toThrow(/'3\.10', '4\.0' or '4\.3\.6'/)
    },
  )
})

describe('compareBrokerVersions', () => {
  it('orders releases by number, and a pre-release before its release', () => {
    const inOrder = [
      '3.9.29',
      '3.10.0',
      '3.10.8',
      '3.13.0',
      '4.0.0-alpha.10',
      '4.0.0-beta.2',
      '4.0.0-beta.10',
      '4.0.0-rc.1',
      '4.0.0',
      '4.0.5',
      '4.3.6',
      '4.10.0',
    ].map(parseBrokerVersion)

    expect(inOrder.toReversed().toSorted(compareBrokerVersions)).toEqual(inOrder)
  })

  it('does not look at build suffixes', () => {
    const [plain, debian] = ['4.0.5', '4.0.5+debian'].map(parseBrokerVersion)

    expect(compareBrokerVersions(plain!, debian!)).toBe(0)
  })

  it('is antisymmetric and transitive', () => {
    const version = fc
      .tuple(fc.nat(5), fc.nat(15), fc.nat(15), fc.constantFrom('', '-beta.1', '-rc.2', '+debian'))
      .map(([major, minor, patch, suffix]) => parseBrokerVersion(`${major}.${minor}.${patch}${suffix}`))

    fc.assert(
      fc.property(version, version, version, (a, b, c) => {
        expect(Math.sign(compareBrokerVersions(a, b))).toBe(0 - Math.sign(compareBrokerVersions(b, a)))
        const [first, , last] = [a, b, c].toSorted(compareBrokerVersions)
        expect(compareBrokerVersions(first!, last!)).toBeLessThanOrEqual(0)
      }),
    )
  })
})

describe('isAtLeast', () => {
  it.each([
    ['4.0.0', '4.0.0', true],
    ['4.0.5', '4.0.0', true],
    ['3.13.7', '4.0.0', false],
    ['4.0.0-beta.1', '4.0.0', true],
    ['3.9.9', '3.10.0', false],
    ['4.0', '4.0.0', true],
  ])('%s is at least %s: %s', (version, release, expected) => {
    expect(isAtLeast(parseBrokerVersion(version), release)).toBe(expected)
  })
})
