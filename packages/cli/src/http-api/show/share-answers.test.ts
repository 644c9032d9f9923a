import { expect, it } from 'vitest'
import type { Clock } from 'warrenmq/operations'
import { shareAnswers } from './share-answers.ts'

it('who asks the same at the same time gets one answer, and who asks another thing another', async () => {
  const asked: string[] = []
  const ask = shareAnswers(60_000, async (about) => {
    asked.push(about)
    return asked.length
  })

  const answers = await Promise.all([ask('a'), ask('a'), ask('b'), ask('a')])

  expect(answers).toEqual([1, 1, 2, 1])
  expect(asked).toEqual(['a', 'b'])
})

it('an answer is given on until its time is over, and then asked for anew', async () => {
  const due: (() => void)[] = []
  const clock: Clock = {
    now: () => 0,
    schedule: (_delayMs, task) => {
      due.push(task)
      return () => {}
    },
  }
  let times = 0
  const ask = shareAnswers(1_000, async () => ++times, clock)

  const first = await ask('a')
  const same = await ask('a')
  for (const task of due) task()
  const next = await ask('a')

  expect([first, same, next]).toEqual([1, 1, 2])
})

it('a failure is told to those who waited, and the next one asks again', async () => {
  let times = 0
  const ask = shareAnswers(60_000, async () => {
    times += 1
    if (times === 1) throw new Error('gone')
    return times
  })

  await expect(Promise.all([ask('a'), ask('a')])).rejects.toThrow('gone')
  expect(await ask('a')).toBe(2)
})
