import { describe, expect, it } from 'vitest'
import type { Clock } from 'warrenmq/operations'
import { Feed } from './feed.ts'

/** A list that is read as often as the clock is told to go on. */
function setup() {
  const due = new Set<() => void>()
  const clock: Clock = {
    now: () => 0,
    schedule: (_delayMs, task) => {
      due.add(task)
      return () => void due.delete(task)
    },
  }
  const errors: unknown[] = []
  let items = new Map([['a', '{"id":"a"}']])
  let edition = '1'
  let failure: Error | undefined
  let reads = 0
  const feed = new Feed({
    clock,
    everyMs: 500,
    edition: () => edition,
    onError: (error) => errors.push(error),
    read: async () => {
      reads += 1
      if (failure) throw failure
      return items
    },
  })
  return {
    feed,
    errors,
    reads: () => reads,
    pending: () => due.size,
    set: (...ids: readonly string[]) => {
      items = new Map(ids.map((id) => [id, JSON.stringify({ id })]))
      edition += '1'
    },
    fail: (error?: Error) => {
      failure = error
    },
    /** Time passes, and what is read then has come. */
    pass: async () => {
      for (const task of [...due]) {
        due.delete(task)
        task()
      }
      await new Promise(setImmediate)
    },
  }
}

describe('a list that is followed', () => {
  it('is read once for all who follow it, and by nobody when they have left', async () => {
    const { feed, reads, set, pass, pending } = setup()

    const leaves = [feed.follow(), feed.follow()]
    await pass()
    const whole = feed.since(undefined)!
    set('a', 'b')
    await pass()
    const [one, other] = [feed.since(whole.digest), feed.since(whole.digest)]
    for (const leave of leaves) leave()
    await pass()

    expect(reads()).toBe(2)
    expect(one?.data).toBe('{"isWhole":false,"items":[{"id":"b"}],"gone":[]}')
    expect(other).toBe(one)
    expect([feed.isFollowed, pending()]).toEqual([false, 0])
  })

  it('is not read again for as long as nothing can have changed', async () => {
    const { feed, reads, pass } = setup()

    feed.follow()
    for (let round = 0; round < 5; round += 1) await pass()

    expect(reads()).toBe(1)
  })

  it('is told as it is now to who comes back, and not as it was when all had left', async () => {
    const { feed, set, pass } = setup()
    const leave = feed.follow()
    await pass()
    const { digest } = feed.since(undefined)!
    leave()

    set('b')
    feed.follow()
    const tooSoon = feed.since(digest)
    await pass()

    expect(tooSoon).toBeUndefined()
    expect(feed.since(digest)?.data).toBe('{"isWhole":false,"items":[{"id":"b"}],"gone":["a"]}')
  })

  it('that cannot be read stays what it was, and is read again', async () => {
    const { feed, errors, fail, set, pass } = setup()
    feed.follow()
    await pass()
    const { digest } = feed.since(undefined)!

    fail(new Error('the broker is away'))
    set()
    await pass()
    const meanwhile = feed.since(digest)
    fail()
    await pass()

    expect([errors.length, meanwhile]).toEqual([1, undefined])
    expect(feed.since(digest)?.data).toBe('{"isWhole":false,"items":[],"gone":["a"]}')
  })

  it('is written once for all who say that they know what nobody remembers', async () => {
    const { feed, pass } = setup()
    feed.follow()
    await pass()

    expect(feed.since('made up')).toBe(feed.since('also made up'))
    expect(feed.since('made up')).toBe(feed.since(undefined))
  })
})
