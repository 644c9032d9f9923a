import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { limitConcurrency } from './limit-concurrency.ts'

function createTask(started: string[], name: string) {
  let resolve: (name: string) => void = () => {}
  let reject: (error: Error) => void = () => {}
  const promise = new Promise<string>((onResolve, onReject) => {
    resolve = onResolve
    reject = onReject
  })
  const task = () => {
    started.push(name)
    return promise
  }
  return { task, finish: () => resolve(name), fail: () => reject(new Error(name)) }
}

describe('limitConcurrency', () => {
  it('starts as many as the limit and the others in order, one for each that ends', async () => {
    const started: string[] = []
    const run = limitConcurrency(2)
    const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => createTask(started, name))

    const results = [a, b, c, d].map((each) => run(each!.task))
    await nextTurn()
    expect(started).toEqual(['a', 'b'])
    b!.finish()
    await nextTurn()
    expect(started).toEqual(['a', 'b', 'c'])
    a!.finish()
    c!.finish()
    d!.finish()

    expect(await Promise.all(results)).toEqual(['a', 'b', 'c', 'd'])
  })

  it('goes on after a task that fails', async () => {
    const started: string[] = []
    const run = limitConcurrency(1)
    const [a, b] = ['a', 'b'].map((name) => createTask(started, name))

    const results = Promise.allSettled([run(a!.task), run(b!.task)])
    a!.fail()
    b!.finish()

    expect((await results).map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
  })

  it('never starts a task that is aborted while it waits, and keeps the place for the next', async () => {
    const started: string[] = []
    const run = limitConcurrency(1)
    const [a, b, c] = ['a', 'b', 'c'].map((name) => createTask(started, name))
    const abort = new AbortController()
    const results = Promise.allSettled([run(a!.task), run(b!.task, abort.signal), run(c!.task)])

    abort.abort(new Error('enough'))
    a!.finish()
    c!.finish()

    expect((await results).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(started).toEqual(['a', 'c'])
  })

  it('refuses a task whose signal is aborted already', async () => {
    const run = limitConcurrency(1)
    const started: string[] = []

    await expect(run(createTask(started, 'a').task, AbortSignal.abort(new Error('enough')))).rejects.toThrow(
      'enough',
    )
    expect(started).toEqual([])
  })
})
