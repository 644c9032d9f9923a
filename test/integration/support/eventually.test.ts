import { expect, test } from 'vitest'
import { eventually } from '../../support/eventually.ts'

test('gives the first value that is not false', async () => {
  const answers = [false, false, 'here'] as const
  let calls = 0

  const answer = await eventually(() => answers[calls++] ?? false, { intervalMs: 1 })

  expect(answer).toBe('here')
  expect(calls).toBe(3)
})

test('goes on when the check throws', async () => {
  let calls = 0

  await eventually(() => expect(++calls).toBe(3), { intervalMs: 1 })

  expect(calls).toBe(3)
})

test('says what it waited for, and how the last try ended', async () => {
  const check = async () => {
    throw new Error('depth is 2')
  }

  const waiting = eventually(check, { timeoutMs: 5, intervalMs: 1, what: 'three messages' })

  await expect(waiting).rejects.toThrow('Waited 5 ms for three messages. The last try ended with: depth is 2')
})
