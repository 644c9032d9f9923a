import { describe, expect, it } from 'vitest'
import type { HeardNotice, Notice } from '../notices/notice.ts'
import { type KnownRequest, rememberedMs } from './known-request.ts'
import { KnownRequests, mostRequests } from './known-requests.ts'

const at = '2030-01-01T00:00:00Z'
const answer = { status: 202, location: '/api/v1/tasks/1', body: { id: '1' } }

function heard(number: string, notice: Notice, isSigned = true): HeardNotice {
  return { number, notice, isSigned }
}
const begun = (number: string, when = at) =>
  heard(number, { kind: 'request-begun', key: 'k', request: 'r', at: when })
const ended = (begunIn: string, told: typeof answer | null) =>
  heard('-', { kind: 'request-ended', key: 'k', begunIn, answer: told })
function knownAfter(...records: readonly HeardNotice[]): KnownRequests {
  const known = new KnownRequests()
  for (const record of records) known.heard(record)
  return known
}
const beginAll = (count: number): HeardNotice[] =>
  Array.from({ length: count }, (_, index) =>
    heard(`${index}`, { kind: 'request-begun', key: `k-${index}`, request: 'r', at }),
  )
const endAll = (count: number): HeardNotice[] =>
  Array.from({ length: count }, (_, index) =>
    heard('-', { kind: 'request-ended', key: `k-${index}`, begunIn: `${index}`, answer }),
  )

/** Counts each entry that is looked up, changed or passed by. */
class CountingMap extends Map<string, KnownRequest> {
  steps = 0

  override get(key: string): KnownRequest | undefined {
    this.steps += 1
    return super.get(key)
  }
  override set(key: string, request: KnownRequest): this {
    this.steps += 1
    return super.set(key, request)
  }
  override delete(key: string): boolean {
    this.steps += 1
    return super.delete(key)
  }
  override *keys(): MapIterator<string> {
    for (const key of super.keys()) yield this.#passBy(key)
  }
  override *values(): MapIterator<KnownRequest> {
    for (const request of super.values()) yield this.#passBy(request)
  }
  override *entries(): MapIterator<[string, KnownRequest]> {
    for (const entry of super.entries()) yield this.#passBy(entry)
  }
  override [Symbol.iterator](): MapIterator<[string, KnownRequest]> {
    return this.entries()
  }
  #passBy<Passed>(passed: Passed): Passed {
    this.steps += 1
    return passed
  }
}

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
    const known = knownAfter(...beginAll(mostRequests + 50))

    expect(known.size).toBe(mostRequests)
    expect([known.get('k-49'), known.get('k-50'), known.get(`k-${mostRequests + 49}`)]).toMatchObject([
      undefined,
      { begunIn: '50' },
      { begunIn: `${mostRequests + 49}` },
    ])
  })

  it('that was begun anew is the newest, and the last to be forgotten', () => {
    const nextDay = new Date(Date.parse(at) + rememberedMs).toISOString()
    const again = heard('again', { kind: 'request-begun', key: 'k-0', request: 'r', at: nextDay })

    const known = knownAfter(...beginAll(mostRequests), again, begun('one more'))

    expect([known.size, known.get('k-0')?.begunIn, known.get('k-1')]).toEqual([
      ...[mostRequests, 'again', undefined],
    ])
  })

  it.each([1_000, 10_000, 30_000])('costs the same work however many there are: %i', (count) => {
    const map = new CountingMap()
    const known = new KnownRequests(map)
    const records = [...beginAll(count), ...endAll(count)]

    for (const record of records) known.heard(record)

    expect(map.steps).toBeLessThanOrEqual(3 * records.length)
  })
})
