import { describe, expect, it } from 'vitest'
import { defer, readAnswer, reject, retry } from './handler-answer.ts'

describe('an answer', () => {
  it('to defer until a date that is none is refused with a sentence', () => {
    expect(() => defer(new Date('garbage'))).toThrow(/defer\(\) got an invalid date/)
    expect(defer(new Date(5)).result).toEqual({ kind: 'deferred', untilMs: 5 })
  })

  it.each([
    [new TypeError('no price'), 'TypeError: no price'],
    [undefined, 'undefined'],
    [Object.create(null), 'a value of type object that cannot be read'],
  ])('says why in a text, whatever it is given: %#', (given, reason) => {
    expect(reject(given as string).result).toEqual({ kind: 'rejected', reason })
    if (given !== undefined) expect(retry({ reason: given as string }).result).toMatchObject({ reason })
  })
})

describe('a status', () => {
  it.each([
    [45_000.5, 45_001],
    [0, 0],
    [-1, undefined],
    [Number.NaN, undefined],
    [Number.POSITIVE_INFINITY, undefined],
    ['5', undefined],
  ])('with a wish of %s ms is read as %s', (retryAfterMs, expected) => {
    expect(readAnswer({ status: 425, retryAfterMs })).toMatchObject({ retryAfterMs: expected })
  })

  it('of a Response of fetch has its Retry-After', () => {
    const response = new Response(null, { status: 503, headers: { 'Retry-After': '7' } })
    expect(readAnswer(response)).toMatchObject({ kind: 'status', status: 503, retryAfter: '7' })
    expect(readAnswer(new Response(null, { status: 204 }))).toMatchObject({ retryAfter: undefined })
  })
})
