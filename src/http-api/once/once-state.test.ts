import { describe, expect, it } from 'vitest'
import type { HeardNotice, Notice } from '../notices/notice.ts'
import { type KnownRequests, rememberedMs, takeRequestNotice } from './once-state.ts'

const at = '2030-01-01T00:00:00Z'
const answer = { status: 202, location: '/api/v1/tasks/1', body: { id: '1' } }

function heard(number: string, notice: Notice, isSigned = true): HeardNotice {
  return { number, notice, isSigned }
}
const begun = (number: string, when = at) =>
  heard(number, { kind: 'request-begun', key: 'k', request: 'r', at: when })
const ended = (begunIn: string, told: typeof answer | null) =>
  heard('-', { kind: 'request-ended', key: 'k', begunIn, answer: told })
const knownAfter = (...records: readonly HeardNotice[]): KnownRequests =>
  records.reduce(takeRequestNotice, new Map() as KnownRequests)

describe('a request with an idempotency key', () => {
  it('is that of the first server that began it', () => {
    expect(knownAfter(begun('1'), begun('2')).get('k')).toMatchObject({ begunIn: '1', answer: undefined })
  })

  it('keeps the answer of the one that does it, and of no other', () => {
    expect(knownAfter(begun('1'), begun('2'), ended('2', answer)).get('k')?.answer).toBeUndefined()
    expect(knownAfter(begun('1'), begun('2'), ended('1', answer)).get('k')?.answer).toEqual(answer)
  })

  it('can be sent again where it failed', () => {
    expect(knownAfter(begun('1'), ended('1', null)).size).toBe(0)
    expect(knownAfter(begun('1'), ended('1', null), begun('2')).get('k')?.begunIn).toBe('2')
  })

  it('is forgotten after a day', () => {
    const nextDay = new Date(Date.parse(at) + rememberedMs).toISOString()
    expect(knownAfter(begun('1'), ended('1', answer), begun('2', nextDay)).get('k')?.begunIn).toBe('2')
  })

  it('is not what anybody without the key of the servers says it is', () => {
    const forged = heard('1', { kind: 'request-begun', key: 'k', request: 'r', at }, false)
    const ends = heard('2', { kind: 'request-ended', key: 'k', begunIn: '1', answer }, false)
    expect(knownAfter(forged).size).toBe(0)
    expect(knownAfter(begun('1'), ends).get('k')?.answer).toBeUndefined()
  })

  it('is not kept for ever, however many there are', () => {
    const many = Array.from({ length: 10_050 }, (_, index) =>
      heard(`${index}`, { kind: 'request-begun', key: `k-${index}`, request: 'r', at }),
    )
    // Not by `knownAfter`: a new map for each of so many takes a minute.
    const known = takeRequestNotice(
      new Map(many.slice(0, 10_049).flatMap((each) => [...takeRequestNotice(new Map(), each)])),
      many.at(-1)!,
    )
    expect(known.size).toBe(10_000)
    expect(known.has('k-10049')).toBe(true)
  })
})
