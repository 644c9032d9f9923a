import { describe, expect, it } from 'vitest'
import { InvalidArgumentError } from '../errors.ts'
import { isAtLeast, parseBrokerVersion } from './broker-version.ts'

describe('parseBrokerVersion', () => {
  it.each([
    ['3.10.8', [3, 10, 8]],
    ['4.3.6', [4, 3, 6]],
    ['4.0', [4, 0, 0]],
    ['v4.1.2', [4, 1, 2]],
    ['4.0.5+debian', [4, 0, 5]],
    ['4.0.5-6+deb13u1', [4, 0, 5]],
    ['4.0.5+12.g0a1b2c3', [4, 0, 5]],
    ['4.1.0-beta.3', [4, 1, 0]],
    ['4.0.0-rc.1', [4, 0, 0]],
    ['4.0.0+beta.1.52.g1234567', [4, 0, 0]],
    ['4.2.0-alpha.abcdef', [4, 2, 0]],
    [' 3.13.7 ', [3, 13, 7]],
  ])('%j is read', (text, [major, minor, patch]) => {
    const version = parseBrokerVersion(text)

    expect(version).toEqual({ text: text.trim(), major, minor, patch })
  })

  it.each(['', '4', 'four', '4.x', '-4.0', '4..0', '99999.1'])(
    '%j is refused with examples of what to write',
    (text) => {
      expect(() => parseBrokerVersion(text)).toThrow(InvalidArgumentError)
      expect(() => parseBrokerVersion(text)).toThrow(/'3\.10', '4\.0' or '4\.3\.6'/)
    },
  )
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
