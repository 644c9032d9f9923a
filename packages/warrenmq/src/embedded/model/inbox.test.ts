import { expect, test } from 'vitest'
import { createInbox } from './inbox.ts'

test('a task that fails is told of once all others are done, and the inbox goes on', () => {
  const inbox = createInbox()
  const done: string[] = []

  const run = () =>
    inbox.run(() => {
      inbox.post(() => {
        throw new Error('failed')
      })
      inbox.post(() => done.push('behind it'))
    })

  expect(run).toThrow('failed')
  inbox.run(() => inbox.post(() => done.push('later')))
  expect(done).toEqual(['behind it', 'later'])
})

test('what an operation has posted is done even if the operation is refused', () => {
  const inbox = createInbox()
  const done: string[] = []

  const run = () =>
    inbox.run(() => {
      inbox.post(() => done.push('posted'))
      throw new Error('refused')
    })

  expect(run).toThrow('refused')
  expect(done).toEqual(['posted'])
})
