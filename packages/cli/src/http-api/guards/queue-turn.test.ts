import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Role } from '../contract/contract.ts'
import { decideNextTurn, type QueueTurn } from './queue-turn.ts'

const look = (queue: string, name: string, role: Role = 'viewer'): QueueTurn => ({
  queue,
  looker: { name, role },
})
const task = (queue: string): QueueTurn => ({ queue, looker: undefined })
const looksOf = (role: Role, count: number) =>
  Array.from({ length: count }, (_, at) => look(`of ${role} ${at}`, `${role} ${at}`, role))

describe('the next turn', () => {
  it.each<[string, readonly QueueTurn[], readonly QueueTurn[], number | undefined]>([
    ['is of who came first', [], [look('a', 'ann'), look('b', 'bob')], 0],
    ['is of nobody whose queue is taken', [task('a')], [look('a', 'ann'), task('a')], undefined],
    ['is of a task before looks at its queue', [], [look('a', 'ann'), task('a')], 1],
    ['is of whom has fewer looks', [look('x', 'ann')], [look('a', 'ann'), look('b', 'bob')], 1],
    ['is no third one of a caller', [look('x', 'ann'), look('y', 'ann')], [look('a', 'ann')], undefined],
    ['is no viewer’s where they have their share', looksOf('viewer', 4), [look('a', 'vic')], undefined],
    ['is an operator’s there', looksOf('viewer', 4), [look('a', 'v'), look('b', 'o', 'operator')], 1],
    [
      'is an admin’s where all others have theirs',
      [...looksOf('viewer', 4), ...looksOf('operator', 1)],
      [look('a', 'vic'), look('b', 'olga', 'operator'), look('c', 'ann', 'admin')],
      2,
    ],
    ['is no look’s where there are enough', looksOf('admin', 6), [look('a', 'ann', 'admin')], undefined],
    ['is a task’s however many looks there are', looksOf('admin', 6), [look('b', 'ann'), task('a')], 1],
  ])('%s', (_, running, waiting, at) => {
    expect(decideNextTurn(running, waiting)).toBe(at === undefined ? undefined : waiting[at])
  })
})

it('two never have a queue at the same time, and a turn that could begin does not wait', () => {
  const role = fc.constantFrom<Role>('viewer', 'operator', 'admin')
  const queue = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h')
  const turn = fc.oneof(
    queue.map(task),
    fc.tuple(queue, fc.constantFrom('ann', 'bob', 'cy'), role).map((each) => look(...each)),
  )
  fc.assert(
    fc.property(fc.array(turn, { maxLength: 30 }), (asked) => {
      const waiting = [...asked]
      const running: QueueTurn[] = []
      for (let next = decideNextTurn(running, waiting); next; next = decideNextTurn(running, waiting)) {
        waiting.splice(waiting.indexOf(next), 1)
        running.push(next)
      }

      expect(new Set(running.map((each) => each.queue)).size).toBe(running.length)
      expect(running.length).toBeGreaterThan(asked.length === 0 ? -1 : 0)
      expect(running.filter(({ looker }) => looker).length).toBeLessThanOrEqual(6)
    }),
  )
})
