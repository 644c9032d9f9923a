import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { defer, readAnswer, reject, retry } from './handler-answer.ts'

describe('an answer', () => {
  it('to defer until an invalid date is refused with a sentence', () => {
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

describe('a value that is no answer', () => {
  it.each([undefined, null, 7, 'done', { rows: 1 }, [], new Map(), () => 5])('acknowledges: %s', (value) => {
    expect(readAnswer(value)).toEqual({ kind: 'handled' })
  })

  it('that is an error counts as thrown, from whatever realm it is', () => {
    const foreign: unknown = runInNewContext(`new TypeError('no price')`)
    expect(readAnswer(new Error('no price'))).toMatchObject({ failure: { errorMessage: 'no price' } })
    expect(readAnswer(foreign)).toMatchObject({ kind: 'failed', isPermanent: false })
    expect(readAnswer(Object.assign(new Error('never'), { isPermanent: true }))).toMatchObject({
      isPermanent: true,
    })
  })

  it.each([
    ['retry', retry],
    ['reject', reject],
    ['defer', defer],
  ])('that is %s without its call is a failure that says so', (name, value) => {
    expect(readAnswer(value)).toMatchObject({
      kind: 'failed',
      isPermanent: false,
      failure: {
        errorCode: 'HANDLER_ANSWER_WRONG',
        errorMessage: expect.stringContaining(`returned ${name} without`),
      },
    })
  })

  it('that is a generator is a failure, because nothing of the handler has run', () => {
    function* some() {}
    async function* later() {}
    for (const value of [some(), later()])
      expect(readAnswer(value)).toMatchObject({ failure: { errorCode: 'HANDLER_ANSWER_WRONG' } })
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
