import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRunQueue } from './run-queue.ts'

interface Item {
  readonly key: string | undefined
  readonly number: number
}
const item = (key: string | undefined, number: number): Item => ({ key, number })
const queueOf = (...items: Item[]) => {
  const queue = createRunQueue<Item>(({ key }) => key)
  for (const each of items) queue.push(each)
  return queue
}
const numbers = (items: readonly (Item | undefined)[]) => items.map((each) => each?.number)

describe('a run queue', () => {
  it('lets one of a key out at a time, and others past it', () => {
    const [a1, a2, b1] = [item('a', 1), item('a', 2), item('b', 3)] as const
    const queue = queueOf(a1, a2, b1)

    expect(numbers([queue.take(), queue.take(), queue.take()])).toEqual([1, 3, undefined])
    queue.done(a1)

    expect(queue.take()).toBe(a2)
  })

  it('passes the place of a removed item to the one behind it', () => {
    const queue = queueOf(item('a', 1), item('a', 2), item('a', 3), item(undefined, 4))

    expect(numbers(queue.removeWaiting(({ number }) => number <= 2))).toEqual([1, 2])

    expect(queue.size()).toBe(2)
    expect(numbers([queue.take(), queue.take()]).toSorted()).toEqual([3, 4])
  })

  it('takes one that was put back after those of other keys and before those of its own', () => {
    const [a1, a2, b1] = [item('a', 1), item('a', 2), item('b', 3)] as const
    const queue = queueOf(a1, a2, b1)
    queue.putBack(queue.take()!)

    expect(queue.size()).toBe(3)
    expect(numbers([queue.take(), queue.take(), queue.take()])).toEqual([3, 1, undefined])
    queue.done(a1)
    expect(queue.take()).toBe(a2)
  })

  it('runs each item once, each key in its order and never twice at a time', () => {
    const keys = fc.array(fc.option(fc.constantFrom('a', 'b', 'c'), { nil: undefined }), { maxLength: 30 })
    fc.assert(
      fc.property(keys, fc.array(fc.nat(4), { maxLength: 80 }), (itemKeys, choices) => {
        const items = itemKeys.map(item)
        const queue = queueOf(...items)
        const out: Item[] = []
        const ran: Item[] = []
        const finish = (index: number) => {
          const [finished] = out.splice(index % out.length, 1)
          queue.done(finished!)
          ran.push(finished!)
        }
        for (const choice of choices) {
          const taken = choice === 0 && out.length > 0 ? undefined : queue.take()
          if (taken) out.push(taken)
          else if (out.length > 0) finish(choice)
          const busy = out.flatMap(({ key }) => (key === undefined ? [] : [key]))
          expect(new Set(busy).size).toBe(busy.length)
        }
        for (let taken = queue.take(); taken || out.length > 0; taken = queue.take()) {
          if (taken) out.push(taken)
          else finish(0)
        }
        expect(ran.toSorted((left, right) => left.number - right.number)).toEqual(items)
        for (const key of ['a', 'b', 'c']) {
          const order = numbers(ran.filter((each) => each.key === key))
          expect(order).toEqual(order.toSorted((left, right) => left! - right!))
        }
      }),
    )
  })
})
