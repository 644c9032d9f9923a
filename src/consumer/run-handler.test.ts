import { describe, expect, it } from 'vitest'
import type { Handler } from './handler.ts'
import type { HandlerResult } from './handler-result.ts'
import type { Run } from './run.ts'
import { interruptRun, RunContext, runHandler } from './run-handler.ts'

const flow = { maxAttempts: 3, queue: 'work' }

/** Runs a handler and collects the results that it is said to have. */
function setup(handler: Handler) {
  const results: HandlerResult[] = []
  const run = { message: {}, give: undefined, abort: undefined } as unknown as Run
  runHandler(run, handler, new RunContext(run, flow), (_, result) => results.push(result))
  return { run, results, settled: () => new Promise((resolve) => setImmediate(resolve)) }
}

function throwNoPromise(): never {
  throw new Error('no promise')
}

const failed = (errorMessage: string) => ({ kind: 'failed', failure: { errorMessage } })

describe('a handler', () => {
  it('that returns at once has its result at once', () => {
    expect(setup(() => undefined).results).toEqual([{ kind: 'handled' }])
    expect(setup(() => ({ status: 503 })).results).toMatchObject([{ kind: 'status', status: 503 }])
  })

  it.each([
    [
      'throws',
      () => {
        throw new Error('at once')
      },
      'at once',
    ],
    ['rejects', () => Promise.reject(new Error('later')), 'later'],
    ['returns a thenable that throws', () => Object.fromEntries([['then', throwNoPromise]]), 'no promise'],
    [
      'returns an object that throws when it is read',
      () => ({
        get status() {
          throw new Error('look away')
        },
      }),
      'look away',
    ],
    [
      'resolves to such an object',
      async () => ({
        get status() {
          throw new Error('look away')
        },
      }),
      'look away',
    ],
  ] as readonly [string, Handler, string][])('that %s has failed', async (_, handler, message) => {
    const { results, settled } = setup(handler)

    await settled()

    expect(results).toMatchObject([failed(message)])
  })

  it('that was interrupted has failed once, whatever it comes to later', async () => {
    let finish = (): void => {}
    const { run, results, settled } = setup(
      () =>
        new Promise<void>((resolve) => {
          finish = resolve
        }),
    )

    interruptRun(run, new Error('too late'))
    finish()
    await settled()

    expect(results).toMatchObject([failed('too late')])
    expect(run.abort?.signal.aborted).toBe(true)
  })
})
