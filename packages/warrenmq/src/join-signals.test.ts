import { getEventListeners } from 'node:events'
import { expect, it, onTestFinished } from 'vitest'
import { type JoinedSignal, joinSignals } from './join-signals.ts'

it('ends with the first of its signals, for its reason', () => {
  const [one, other] = [new AbortController(), new AbortController()]
  const { signal } = joinSignals([one.signal, undefined, other.signal])

  other.abort('enough')
  one.abort('too late')

  expect([signal.aborted, signal.reason]).toEqual([true, 'enough'])
})

it('is over at once where one of them is', () => {
  expect(joinSignals([AbortSignal.abort('before')]).signal.reason).toBe('before')
})

it('ends after its time, and not at once where that is longer than a timer can be set for', async () => {
  const brief = joinSignals([], { timeoutMs: 1 })
  const endless = joinSignals([], { timeoutMs: 2 ** 40 })

  await hasEnded(brief)
  await hasEnded(joinSignals([], { timeoutMs: 2 }))

  expect(brief.signal.reason).toMatchObject({ name: 'TimeoutError' })
  expect(endless.signal.aborted).toBe(false)
  endless.release()
})

it('leaves nothing behind when it is released, and ends no more', async () => {
  const outer = new AbortController()
  const joined = joinSignals([outer.signal], { timeoutMs: 1 })

  joined.release()
  await hasEnded(joinSignals([], { timeoutMs: 2 }))
  outer.abort()

  expect(getEventListeners(outer.signal, 'abort')).toEqual([])
  expect(joined.signal.aborted).toBe(false)
})

it('may be one of many that follow the same signal, without a warning of a leak', async () => {
  const outer = new AbortController()
  const warnings: Error[] = []
  const listen = (warning: Error) => void warnings.push(warning)
  process.on('warning', listen)
  onTestFinished(() => void process.off('warning', listen))

  const joined = Array.from({ length: 50 }, () => joinSignals([outer.signal]))
  await new Promise((resolve) => setImmediate(resolve)) // warnings come with the next tick
  outer.abort('enough')

  expect(warnings).toEqual([])
  expect(joined.map(({ signal }) => signal.reason)).toEqual(Array.from({ length: 50 }, () => 'enough'))
})

/** A timer that is started later and for longer has its turn later, so the earlier ones have had theirs. */
async function hasEnded({ signal }: JoinedSignal): Promise<void> {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve))
}
