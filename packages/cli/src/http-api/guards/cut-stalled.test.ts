import { Writable } from 'node:stream'
import { expect, it } from 'vitest'
import type { Clock } from 'warrenmq/operations'
import { cutStalled } from './cut-stalled.ts'

/** A connection of which the test says when the other end reads, and how late it is. */
function setup({ isCut = false } = {}) {
  let taken = (): void => {}
  const out = new Writable({
    highWaterMark: 1,
    write: (_chunk, _encoding, done) => {
      taken = done
    },
  })
  let nowMs = 0
  let next: (() => void) | undefined
  const clock: Clock = {
    now: () => nowMs,
    schedule: (_delayMs, task) => {
      next = task
      return () => {
        next = undefined
      }
    },
  }
  if (isCut) out.destroy()
  cutStalled(out, clock)
  const pass = (seconds: number): void => {
    for (let at = 0; at < seconds; at += 5) {
      nowMs += 5_000
      const task = next
      next = undefined
      task?.()
    }
  }
  const read = async (): Promise<void> => {
    const drained = new Promise((resolve) => out.once('drain', resolve))
    taken()
    await drained
  }
  return { out, pass, read, isWatched: () => next !== undefined }
}

it('a connection on which nothing waits is left alone', () => {
  const { out, pass } = setup()

  pass(600)

  expect(out.destroyed).toBe(false)
})

it('a connection that takes a little now and then is left alone', async () => {
  const { out, pass, read } = setup()

  for (let piece = 0; piece < 5; piece += 1) {
    out.write('some of it')
    pass(50)
    await read()
  }

  expect(out.destroyed).toBe(false)
})

it('a connection that takes nothing is cut, and watched no more', async () => {
  const { out, pass, isWatched } = setup()
  const closed = new Promise((resolve) => out.once('close', resolve))

  out.write('some of it')
  pass(120)
  await closed

  expect(out.destroyed).toBe(true)
  expect(isWatched()).toBe(false)
})

it('a connection that is cut already is not watched', () => {
  const { out, isWatched } = setup({ isCut: true })

  expect(out.destroyed).toBe(true)
  expect(isWatched()).toBe(false)
})
