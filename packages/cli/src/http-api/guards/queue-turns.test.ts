import { expect, it } from 'vitest'
import { createQueueTurns } from './queue-turns.ts'

const looker = { name: 'vic', role: 'viewer' } as const

/** Work that ends when it is told to. */
function hold() {
  let end = (): void => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  return { work: () => ended, end: () => end() }
}

it('work on one queue is done one after the other, and on others meanwhile', async () => {
  const turns = createQueueTurns()
  const done: string[] = []
  const first = hold()
  const held = turns.take('a', async () => {
    await first.work()
    done.push('first')
  })
  const second = turns.look({ queue: 'a', looker }, async () => void done.push('second'))

  await turns.take('b', async () => void done.push('other'))
  first.end()
  await Promise.all([held, second])

  expect(done).toEqual(['other', 'first', 'second'])
})

it('a look that is called off while it waits never begins, and nobody waits for it', async () => {
  const turns = createQueueTurns()
  const first = hold()
  const held = turns.take('a', first.work)
  const off = new AbortController()
  let hasBegun = false
  const waiting = turns.look({ queue: 'a', looker, signal: off.signal }, async () => {
    hasBegun = true
  })
  const last = turns.look({ queue: 'a', looker }, async () => 'last')

  off.abort(new Error('gone'))
  await expect(waiting).rejects.toThrow('gone')
  first.end()
  await held

  expect(await last).toBe('last')
  expect(hasBegun).toBe(false)
})

it('a look that was called off before it was asked for does not begin either', async () => {
  const signal = AbortSignal.abort(new Error('gone'))

  await expect(createQueueTurns().look({ queue: 'a', looker, signal }, async () => 1)).rejects.toThrow('gone')
})

it('work that fails gives its turn back', async () => {
  const turns = createQueueTurns()
  const failing = turns.take('a', async () => {
    throw new Error('no')
  })

  await expect(failing).rejects.toThrow('no')
  expect(await turns.take('a', async () => 'next')).toBe('next')
})
