import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { InvalidArgumentError } from '../errors.ts'
import { formatDuration, parseDuration, readDuration } from './duration.ts'

describe('parseDuration', () => {
  it.each([
    [0, 0],
    [1500, 1500],
    ['0s', 0],
    ['250ms', 250],
    ['30s', 30_000],
    ['5m', 300_000],
    ['1h30m', 5_400_000],
    ['2d', 172_800_000],
    ['1d2h3m4s5ms', 93_784_005],
    ['1.5s', 1_500],
    ['0.1s', 100],
    ['1.1s', 1_100],
    [' 30s ', 30_000],
  ])('%j is %i ms', (input, milliseconds) => {
    expect(parseDuration(input)).toBe(milliseconds)
  })

  it.each([
    ['1500', `has no unit; write '1500ms'`],
    ['', 'is not a duration'],
    ['fast', 'is not a duration'],
    ['30 s', 'is not a duration'],
    ['-5s', 'is not a duration'],
    ['5x', 'is not a duration'],
    ['5S', 'is not a duration'],
    ['s', 'is not a duration'],
    ['30m1h', 'largest first'],
    ['5s5s', 'each unit once'],
    ['0.0001s', 'finer than a millisecond'],
    ['99999999999999d', 'whole number of milliseconds'],
    [-1, 'cannot be -1'],
    [Number.NaN, 'cannot be NaN'],
    [1.5, 'whole number of milliseconds'],
    [Number.POSITIVE_INFINITY, 'whole number of milliseconds'],
  ])('%j is refused with the reason', (input, reason) => {
    expect(() => parseDuration(input)).toThrow(InvalidArgumentError)
    expect(() => parseDuration(input)).toThrow(reason)
  })

  it.each([[null], [undefined], [['5s']], [{}], [true]])('%j is described, not thrown on', (input) => {
    const reading = readDuration(input)

    expect(reading).toMatchObject({ isValid: false })
  })

  it('never throws while reading and never gives anything but a safe whole number', () => {
    fc.assert(
      fc.property(fc.anything(), (input) => {
        const reading = readDuration(input)
        if (reading.isValid) expect(Number.isSafeInteger(reading.milliseconds)).toBe(true)
      }),
    )
  })
})

describe('formatDuration', () => {
  it.each([
    [0, '0ms'],
    [1500, '1s500ms'],
    [30_000, '30s'],
    [90_000, '1m30s'],
    [1_800_000, '30m'],
    [86_400_000, '1d'],
  ])('%i ms is written %j', (milliseconds, text) => {
    expect(formatDuration(milliseconds)).toBe(text)
  })

  it('refuses what is not a duration', () => {
    expect(() => formatDuration(-1)).toThrow(InvalidArgumentError)
    expect(() => formatDuration(0.5)).toThrow(InvalidArgumentError)
  })

  it('is read back as the same number', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), (milliseconds) => {
        expect(parseDuration(formatDuration(milliseconds))).toBe(milliseconds)
      }),
    )
  })
})
