import { setImmediate as nextTick } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { takeSteps } from './take-steps.ts'

/** Steps of a millisecond each, until it is told to end. */
function* work(until: () => boolean): Generator<undefined, string, undefined> {
  while (!until()) {
    for (const end = performance.now() + 1; performance.now() < end; );
    yield
  }
  return 'done'
}

it('lets others have their turn while there is more to do', async () => {
  let isTurnOfOthers = false
  const working = takeSteps(work(() => isTurnOfOthers))

  await nextTick()
  isTurnOfOthers = true

  expect(await working).toBe('done')
})

it('ends when nobody wants it any more', async () => {
  const stopping = new AbortController()
  const working = takeSteps(
    work(() => false),
    stopping.signal,
  )

  stopping.abort(new Error('nobody'))

  await expect(working).rejects.toThrow('nobody')
})
