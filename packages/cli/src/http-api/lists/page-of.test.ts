import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ApiError } from 'warrenmq/operations'
import { isAskedFor } from './is-asked-for.ts'
import { type ListOrder, pageOf } from './page-of.ts'

interface Thing {
  readonly id: string
  readonly at: string
}
const order: ListOrder<Thing> = { list: 'things', at: ({ at }) => at, id: ({ id }) => id }
const thing = (id: string, second: number): Thing => ({ id, at: new Date(second * 1_000).toISOString() })
const ids = ({ items }: { readonly items: readonly Thing[] }) => items.map(({ id }) => id)

describe('a page of a list', () => {
  const things = [thing('a', 1), thing('b', 3), thing('c', 2), thing('d', 3)]

  it('has the newest first, and all where there is room for them', () => {
    expect(pageOf(things, { limit: 4 }, order)).toEqual({
      items: [things[3], things[1], things[2], things[0]],
      nextCursor: null,
    })
  })

  it.each([
    [{ from: '1970-01-01T00:00:02Z' }, ['d', 'b', 'c']],
    [{ to: '1970-01-01T00:00:03Z' }, ['c', 'a']],
    [{ from: '1970-01-01T01:00:02+01:00', to: '1970-01-01T00:00:03Z' }, ['c']],
    [{ from: '1970-01-02' }, []],
    [{ to: '1970-01-02' }, ['d', 'b', 'c', 'a']],
  ])('of %j has %j', (period, expected) => {
    expect(ids(pageOf(things, { ...period, limit: 10 }, order))).toEqual(expected)
  })

  it('leaves out what has no time that can be read, where a time is asked for', () => {
    const odd = [...things, { id: 'z', at: 'whenever' }]

    expect(ids(pageOf(odd, { limit: 10 }, order))).toContain('z')
    expect(ids(pageOf(odd, { limit: 10, from: '1970-01-01' }, order))).not.toContain('z')
  })

  it('goes on behind the one before, so that each is on one page, whatever comes in meanwhile', () => {
    const stamp = fc.integer({ min: 0, max: 20 })
    const many = (prefix: string) =>
      fc
        .array(stamp, { maxLength: 30 })
        .map((stamps) => stamps.map((each, at) => thing(`${prefix}${at}`, each)))
    fc.assert(
      fc.property(many('old-'), many('new-'), fc.integer({ min: 1, max: 7 }), (old, late, limit) => {
        const shown: string[] = []
        let cursor: string | null | undefined
        for (let page = 0; cursor !== null; page += 1) {
          const there = [...old, ...late.slice(0, page)]
          const { items, nextCursor } = pageOf(there, { limit, ...(cursor && { cursor }) }, order)
          shown.push(...items.map(({ id }) => id))
          cursor = nextCursor
        }
        expect(new Set(shown).size).toBe(shown.length)
        expect(shown.filter((id) => id.startsWith('old-')).toSorted()).toEqual(
          old.map(({ id }) => id).toSorted(),
        )
      }),
    )
  })

  it('goes on where the last one shown is gone', () => {
    const { nextCursor } = pageOf(things, { limit: 2 }, order)

    expect(ids(pageOf([things[0]!, things[2]!], { limit: 2, cursor: nextCursor! }, order))).toEqual([
      'c',
      'a',
    ])
  })

  const ofAnotherList = pageOf(things, { limit: 1 }, { ...order, list: 'others' }).nextCursor!
  it.each([
    [{ cursor: ofAnotherList }, /^query\.cursor is not a cursor of this list\./],
    [{ cursor: 'abc' }, /^query\.cursor is not a cursor of this list\./],
    [{ from: '2030-02-31' }, /^query\.from must be a date such as/],
    [{ to: '2030-01-31T25:00Z' }, /^query\.to must be a date such as/],
    [{ from: '2030-01-02', to: '2030-01-01' }, /^query\.from must be before query\.to/],
  ])('cannot be asked for by %j', (query, message) => {
    const ask = () => pageOf(things, { limit: 10, ...query }, order)

    expect(ask).toThrow(ApiError)
    expect(ask).toThrow(message)
  })
})

describe('a filter of a list', () => {
  const fields = { state: 'done', queue: 'a.dlq', by: undefined }

  it.each([
    [{}, true],
    [{ state: ['done', 'failed'] }, true],
    [{ state: ['running'] }, false],
    [{ queue: 'a.dlq', state: ['done'] }, true],
    [{ queue: 'b.dlq', state: ['done'] }, false],
    [{ by: 'ann' }, false],
  ])('%j: %s', (filter, isWanted) => {
    expect(isAskedFor(fields, filter)).toBe(isWanted)
  })
})
