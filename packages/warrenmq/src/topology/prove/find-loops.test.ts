import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cycleThrough, findLoops } from './find-loops.ts'

const nextOf = (edges: Readonly<Record<string, readonly string[]>>) => (node: string) => edges[node] ?? []
const sorted = (loops: readonly (readonly string[])[]) => loops.map((loop) => [...loop].sort()).sort()

describe('finding cycles', () => {
  it.each<[string, Record<string, string[]>, string[][]]>([
    ['a line has none', { a: ['b'], b: ['c'] }, []],
    ['a node that leads to itself is one', { a: ['a'] }, [['a']]],
    ['two nodes that lead to each other are one', { a: ['b'], b: ['a'] }, [['a', 'b']]],
    [
      'a node that only a cross edge closes belongs to it',
      { r: ['a', 'b'], a: ['r'], b: ['a'] },
      [['a', 'b', 'r']],
    ],
    ['two circles apart are two', { a: ['a'], b: ['c'], c: ['b'] }, [['a'], ['b', 'c']]],
  ])('%s', (_title, edges, expected) => {
    expect(sorted(findLoops(Object.keys(edges), nextOf(edges)))).toEqual(expected)
  })

  it('a chain of 100,000 nodes needs no deep stack', () => {
    const length = 100_000
    const nodes = Array.from({ length }, (_, index) => `${index}`)

    const loops = findLoops(nodes, (node) => [`${(Number(node) + 1) % length}`])

    expect(loops.map((loop) => loop.length)).toEqual([length])
  })

  it('every node of a group lies on a cycle that the edges allow, and no other node does', () => {
    const node = fc.constantFrom('a', 'b', 'c', 'd', 'e')
    fc.assert(
      fc.property(fc.array(fc.tuple(node, node)), (pairs) => {
        const next = (from: string) => pairs.filter(([source]) => source === from).map(([, target]) => target)
        const loops = findLoops(['a', 'b', 'c', 'd', 'e'], next)

        const inLoop = new Set(loops.flat())
        expect([...inLoop].sort()).toEqual(
          ['a', 'b', 'c', 'd', 'e'].filter((each) => reaches(each, each, next)),
        )
        for (const loop of loops) {
          for (const member of loop) {
            const cycle = cycleThrough(member, loop, next)
            expect(cycle[0]).toBe(member)
            for (const [index, each] of cycle.entries()) {
              expect(next(each)).toContain(cycle[(index + 1) % cycle.length])
            }
          }
        }
      }),
    )
  })
})

function reaches(from: string, to: string, next: (node: string) => readonly string[]): boolean {
  const open = [...next(from)]
  const seen = new Set<string>()
  for (const node of open) {
    if (node === to) return true
    if (!seen.has(node)) open.push(...next(node))
    seen.add(node)
  }
  return false
}
