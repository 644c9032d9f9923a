import { describe, expect, it } from 'vitest'
import { InvalidArgumentError } from '../errors.ts'
import { readTimes } from './read-times.ts'

const read = (options: object) => readTimes('publisher()', options, ['deadline'])

describe('a time among options', () => {
  it.each([
    [{ deadline: '30s' }, { deadlineMs: 30_000 }],
    [{ deadline: 1_500 }, { deadlineMs: 1_500 }],
    [{ deadlineMs: 1_500 }, { deadlineMs: 1_500 }],
    [{ deadline: undefined, deadlineMs: 5 }, { deadlineMs: 5 }],
    [{ resend: true }, { resend: true }],
  ])('%o is read as %o', (options, expected) => {
    expect(read(options)).toEqual(expected)
  })

  it('is refused if both of its names are given', () => {
    const both = () => read({ deadline: '30s', deadlineMs: 30_000 })
    expect(both).toThrow('publisher() got deadline and deadlineMs, which are the same. Use only deadline.')
    expect(both).toThrow(InvalidArgumentError)
  })

  it('is refused with its name where it is none', () => {
    expect(() => read({ deadline: 'soon' })).toThrow("deadline of publisher(): 'soon' is not a duration")
  })
})
