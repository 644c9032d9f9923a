import { describe, expect, it } from 'vitest'
import type { Handler } from './handler.ts'
import type { HandlerResult } from './handler-result.ts'
import type { Run } from './run.ts'
import { interruptRun, RunContext, runHandler } from './run-handler.ts'
import { statusTables } from './status-tables.ts'

const surroundings = { flow: { maxAttempts: 3, queue: 'work' }, statusTable: statusTables.warren }

/** Runs a handler and collects the results that it is said to have. */
function setup(handler: Handler) {
  const results: HandlerResult[] = []
  const run = { message: {}, give: undefined, abort: undefined } as unknown as Run
  runHandler(run, handler, new RunContext(run, surroundings), (_, result) => results.push(result))
  return { run, results, settled: () => new Promise((resolve) => setImmediate(resolve)) }
}

function throwing(thrown: unknown): Handler {
  return () => {
    throw thrown
  }
}

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
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

  it.each([
    ['an object without a prototype', Object.create(null), 'a value of type object that cannot be read'],
    ['an object that nobody may look at', revoked(), 'a value of type object that cannot be read'],
    [
      'an error whose message is no text',
      Object.assign(new Error(), { message: { a: 1 } }),
      '[object Object]',
    ],
    [
      'an error whose name cannot be read',
      Object.defineProperty(new Error('no'), 'name', { get: throwNoPromise }),
      'a value of type object that cannot be read',
    ],
  ])('that throws %s has failed, and what is told of it is text', (_, thrown, message) => {
    const [result] = setup(throwing(thrown)).results

    expect(result).toMatchObject({ ...failed(message), isPermanent: false })
  })

  it('that throws an error whose stack is no text has none', () => {
    const [result] = setup(throwing(Object.assign(new Error('no'), { stack: 7 }))).results

    expect(result).toMatchObject({ failure: { stack: undefined } })
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
