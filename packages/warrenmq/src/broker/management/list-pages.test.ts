import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ManagementError } from '../../errors.ts'
import type { CallApi } from './call-api.ts'
import { listPages } from './list-pages.ts'

const request = { path: ['queues'], subject: 'queues' }
const nameAll = (count: number) =>
  Array.from({ length: count }, (_, index) => `q${String(index).padStart(4, '0')}`)

/** A broker with named queues; `between` changes them after each page that it hands out. */
function createLister(names: string[], between: (names: string[], call: number) => void = () => {}) {
  let calls = 0
  const callApi: CallApi = async ({ query = {} }) => {
    const { page, page_size: size } = query as { page?: number; page_size?: number }
    const items = names.toSorted().map((name) => ({ vhost: '/', name }))
    between(names, calls++)
    if (page === undefined || size === undefined) return { status: 200, json: items }
    const json = {
      items: items.slice((page - 1) * size, page * size),
      page_count: Math.ceil(items.length / size),
      filtered_count: items.length,
    }
    return { status: 200, json }
  }
  return { callApi, callCount: () => calls }
}

describe('listPages', () => {
  it.each([
    [0, 1],
    [1, 1],
    [500, 1],
    [501, 2],
    [1_500, 3],
  ])('reads %i things in %i requests', async (count, requests) => {
    const lister = createLister(nameAll(count))

    const items = await listPages(lister.callApi, request)

    expect(items.map(({ name }) => name)).toEqual(nameAll(count))
    expect(lister.callCount()).toBe(requests)
  })

  it('misses nothing that was there all the time, whatever is created and deleted meanwhile', async () => {
    const steady = nameAll(30)
    const changes = fc.array(
      fc.record({ isDelete: fc.boolean(), letter: fc.constantFrom('a', 'p', 'r', 'z') }),
    )

    await fc.assert(
      fc.asyncProperty(changes, async (script) => {
        const passing = ['a', 'p', 'r', 'z'].flatMap((letter) => [`${letter}1`, `${letter}2`])
        const lister = createLister([...steady, ...passing], (names, call) => {
          const change = script[call]
          if (!change) return
          const index = names.findIndex((name) => name.startsWith(change.letter))
          if (!change.isDelete) names.push(`${change.letter}-${call}`)
          else if (index >= 0) names.splice(index, 1) // the steady ones stay when no other is left
        })

        const items = await listPages(lister.callApi, request, 4)

        const found = new Set(items.map(({ name }) => name))
        expect(steady.filter((name) => !found.has(name))).toEqual([])
        expect(found.size).toBe(items.length)
      }),
    )
  })

  it('reads the list in one piece when it never stands still', async () => {
    let fresh = 0
    const lister = createLister(nameAll(10), (names) => names.push(`z${fresh++}`))

    const items = await listPages(lister.callApi, request, 4)

    expect(items.map(({ name }) => name)).toEqual(expect.arrayContaining(nameAll(10)))
  })

  it('takes a page behind the last one for a list that has shrunk', async () => {
    const lister = createLister(nameAll(10))
    let refusals = 0
    const callApi: CallApi = async (asked) => {
      if (asked.query?.page === 3 && refusals++ === 0) {
        throw new ManagementError({
          code: 'MANAGEMENT_REFUSED',
          status: 400,
          message: 'Page out of range, page: 3',
        })
      }
      return lister.callApi(asked)
    }

    expect(await listPages(callApi, request, 4)).toHaveLength(10)
  })

  it('accepts a list that comes whole', async () => {
    const callApi: CallApi = async () => ({ status: 200, json: [{ vhost: '/', name: 'a' }] })

    expect(await listPages(callApi, request)).toEqual([{ vhost: '/', name: 'a' }])
  })

  it('passes on every other failure', async () => {
    const callApi: CallApi = async () => {
      throw new ManagementError({ code: 'MANAGEMENT_REFUSED', status: 400, message: 'no' })
    }

    await expect(listPages(callApi, request)).rejects.toThrow('no')
  })
})
