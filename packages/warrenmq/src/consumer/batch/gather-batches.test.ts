import { describe, expect, it } from 'vitest'
import type { Clock } from '../../clock.ts'
import type { HandlerContext } from '../handler.ts'
import { reject } from '../handler-answer.ts'
import type { ConsumedMessage } from '../run/consumed-message.ts'
import type { BatchHandler } from './batch-handler.ts'
import { gatherBatches } from './gather-batches.ts'

/** Time that passes when a test says so. */
function createTurnedClock(): Clock & { advance(ms: number): void } {
  let nowMs = 0
  let timers: { readonly atMs: number; readonly task: () => void }[] = []
  return {
    now: () => nowMs,
    schedule: (delayMs, task) => {
      const timer = { atMs: nowMs + delayMs, task }
      timers.push(timer)
      return () => {
        timers = timers.filter((each) => each !== timer)
      }
    },
    advance: (ms) => {
      nowMs += ms
      const due = timers.filter(({ atMs }) => atMs <= nowMs)
      timers = timers.filter(({ atMs }) => atMs > nowMs)
      for (const { task } of due) task()
    },
  }
}

function setup(handler: BatchHandler, rules: { size?: number; concurrency?: number } = {}) {
  const clock = createTurnedClock()
  const batches: unknown[][] = []
  const gathering = gatherBatches(
    (messages, context) => {
      batches.push(messages.map(({ body }) => body))
      return handler(messages, context)
    },
    { size: 3, waitMs: 1_000, concurrency: 1, clock, ...rules },
  )
  const join = (body: unknown, more: Partial<HandlerContext> = {}) => {
    const context = { signal: new AbortController().signal, attempt: 1, maxAttempts: 3, queue: 'q', ...more }
    return Promise.resolve(gathering.handler({ body } as ConsumedMessage, context))
  }
  return { clock, batches, join, gathering }
}

function deferred() {
  let resolve!: (value: undefined) => void
  const promise = new Promise<undefined>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}

describe('a batch', () => {
  it('begins when it is full, and the next one when that is done', async () => {
    const { batches, join } = setup(() => undefined)

    await Promise.all([1, 2, 3, 4, 5, 6].map((body) => join(body)))

    expect(batches).toEqual([
      [1, 2, 3],
      [4, 5, 6],
    ])
  })

  it('whose handler hangs makes room for the next one when the time of its messages is over', async () => {
    const hangs = deferred()
    const { batches, join } = setup(([first]) => (first?.body === 1 ? hangs.promise : undefined))
    const timeouts = [1, 2, 3].map(() => new AbortController())

    const late = timeouts.map(({ signal }, at) => join(at + 1, { signal }))
    const next = [4, 5, 6].map((body) => join(body))
    for (const timeout of timeouts.slice(0, 2)) timeout.abort()
    expect(batches).toEqual([[1, 2, 3]])
    timeouts[2]!.abort()

    expect(await Promise.all(next)).toEqual([undefined, undefined, undefined])
    hangs.resolve(undefined) // its place is given back once
    await Promise.all(late)
    await Promise.all([7, 8, 9].map((body) => join(body)))
    expect(batches).toEqual([
      [1, 2, 3],
      [4, 5, 6],
      [7, 8, 9],
    ])
  })

  it('may give promises in its list, and runs until they are settled', async () => {
    const works = deferred()
    const { batches, join } = setup(([first]) =>
      first?.body === 1
        ? ([works.promise, Promise.reject(new Error('no stock')), reject('bad')] as never)
        : undefined,
    )

    const first = Promise.allSettled([1, 2, 3].map((body) => join(body)))
    const next = [4, 5, 6].map((body) => join(body))
    await new Promise(setImmediate)
    expect(batches).toHaveLength(1)
    works.resolve(undefined)

    const [one, two, three] = await first
    expect(one).toEqual({ status: 'fulfilled', value: undefined })
    expect(two).toMatchObject({ status: 'rejected', reason: { message: 'no stock' } })
    expect(three).toEqual({ status: 'fulfilled', value: reject('bad') })
    await Promise.all(next)
  })

  it('whose list of promises has the wrong length fails, and none of them is left unhandled', async () => {
    const { join } = setup(() => [Promise.reject(new Error('nobody listens'))] as never)

    const ended = await Promise.allSettled([1, 2, 3].map((body) => join(body)))

    for (const each of ended) expect(each).toMatchObject({ reason: { code: 'HANDLER_ANSWER_WRONG' } })
  })

  it('that is not full begins when its first message has waited long enough', async () => {
    const { batches, join, clock } = setup(() => undefined)
    const joined = [join(1)]
    clock.advance(999)
    joined.push(join(2))
    expect(batches).toEqual([])

    clock.advance(1)

    await Promise.all(joined)
    expect(batches).toEqual([[1, 2]])
  })

  it('gives one answer to all, or each its own, and an error counts as thrown', async () => {
    const [bad, broken] = [reject('bad'), new Error('broken')]
    const all = setup(() => bad, { size: 2 })
    const each = setup(() => [undefined, bad, broken])

    expect(await Promise.all([all.join(1), all.join(2)])).toEqual([bad, bad])
    expect(await Promise.allSettled([each.join(1), each.join(2), each.join(3)])).toEqual([
      { status: 'fulfilled', value: undefined },
      { status: 'fulfilled', value: bad },
      { status: 'rejected', reason: broken },
    ])
  })

  it('that throws, or answers for too few, fails all of its messages', async () => {
    const thrown = setup(() => {
      throw new Error('no')
    })
    const short = setup(() => [undefined])

    for (const { status } of await Promise.allSettled([1, 2, 3].map((body) => thrown.join(body))))
      expect(status).toBe('rejected')
    await Promise.all(
      [1, 2, 3].map((body) =>
        expect(short.join(body)).rejects.toThrow('The batch handler returned a list of 1 for 3 messages.'),
      ),
    )
  })

  it('knows the attempt of each message', async () => {
    const seen: unknown[] = []
    const { join } = setup((_, { attempts, maxAttempts, queue }) => {
      seen.push({ attempts, maxAttempts, queue })
    })

    await Promise.all([join('a'), join('b', { attempt: 2 }), join('c', { attempt: 3 })])

    expect(seen).toEqual([{ attempts: [1, 2, 3], maxAttempts: 3, queue: 'q' }])
  })

  it('is without a message that was given up while it waited, and without one whose time is not enough', async () => {
    const { batches, join, clock } = setup(() => undefined, { size: 5 })
    const ending = new AbortController()
    const [left, late, stays] = [
      join('left', { signal: ending.signal }),
      join('late', { waits: () => () => false }),
      join('stays', { waits: () => () => true }),
    ]

    ending.abort(new Error('the consumer closes'))
    clock.advance(1_000)

    await expect(left).rejects.toThrow('the consumer closes')
    expect(await late).toBeDefined() // it is deferred, which costs it no attempt
    expect(await stays).toBeUndefined()
    expect(batches).toEqual([['stays']])
  })

  it('begins at once when nothing more will come', async () => {
    const { batches, join, gathering } = setup(() => undefined)
    const joined = [join(1), join(2)]

    gathering.flush()

    await Promise.all(joined)
    expect(batches).toEqual([[1, 2]])
  })

  it('waits while as many run as may', async () => {
    const ends: (() => void)[] = []
    const { batches, join, clock } = setup(() => new Promise((resolve) => ends.push(() => resolve())), {
      size: 1,
      concurrency: 2,
    })
    const joined = [1, 2, 3].map((body) => join(body))
    clock.advance(10_000)
    expect(batches).toEqual([[1], [2]])

    ends[0]!()
    await joined[0]

    await new Promise(setImmediate)
    expect(batches).toEqual([[1], [2], [3]])
    for (const end of ends) end()
    await Promise.all(joined)
  })
})
