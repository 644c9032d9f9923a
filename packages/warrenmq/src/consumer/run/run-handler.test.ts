import { inspect } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Handler } from '../handler.ts'
import { reject, retry } from '../handler-answer.ts'
import { statusTables } from '../http/status-tables.ts'
import type { HandlerResult } from './handler-result.ts'
import type { Run } from './run.ts'
import { createContext, interruptRun, runHandler } from './run-handler.ts'

const surroundings = {
  flow: { maxAttempts: 3, queue: 'work' },
  statusTable: statusTables.warren,
  beginsNow: () => true,
}

/** Runs a handler and collects the results that it is said to have. */
function setup(handler: Handler) {
  const results: HandlerResult[] = []
  const run = { message: {}, give: undefined, abort: undefined, startedAtMs: 0 } as unknown as Run
  runHandler(run, handler, createContext(run, surroundings), (_, result) => results.push(result))
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

/** Awaited by everybody, though it is a function: query builders make such. */
function callableThenable(then: PromiseLike<never>['then']): PromiseLike<never> {
  return Object.assign(() => undefined, { then }) as unknown as PromiseLike<never>
}

describe('what a handler returns', () => {
  it('and can be both called and awaited is awaited', async () => {
    let fail = (_: Error): void => {}
    const { results, settled } = setup(() =>
      callableThenable((_, rejected) => {
        fail = (error) => void rejected!(error)
        return undefined as never
      }),
    )
    await settled()
    expect(results).toEqual([])

    fail(new Error('later'))
    await settled()

    expect(results).toMatchObject([failed('later')])
  })

  it.each([
    ['an error', () => new Error('no price') as never, 'no price'],
    ['an error, later', () => Promise.resolve(new Error('no price') as never), 'no price'],
    ['retry without its call', () => retry as never, 'The handler returned retry without calling it'],
  ])('that is %s is a failure, and the process is warned once', async (_, handler, message) => {
    const warnings: (Error & { code?: string })[] = []
    const keep = (warning: Error) => void warnings.push(warning)
    process.on('warning', keep)
    onTestFinished(() => void process.off('warning', keep))

    const { results, settled } = setup(handler)
    setup(handler)
    await settled()
    await settled()

    expect(results).toMatchObject([
      { kind: 'failed', failure: { errorMessage: expect.stringContaining(message) } },
    ])
    expect(warnings.map(({ code }) => code)).toEqual(['WARREN_WRONG_ANSWER'])
    expect(warnings[0]!.message).toContain('"work"')
  })
})

it('a handler whose answer means nothing is a type error', () => {
  // @ts-expect-error: an error is thrown, not returned
  const error: Handler = () => new Error('no price')
  // @ts-expect-error: retry is called
  const uncalled: Handler = () => retry
  // @ts-expect-error: a number says nothing
  const number: Handler = async () => 7
  const fitting: readonly Handler[] = [
    () => undefined,
    () => {},
    async () => {},
    () => retry(),
    async ({ id }) => (id === undefined ? reject('no id') : undefined),
    () => ({ status: 503 }),
    () => new Response(null, { status: 503 }),
    () => fetch('http://127.0.0.1'),
  ]
  expect([error, uncalled, number, ...fitting]).toHaveLength(11)
})

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

  it('that was interrupted while middleware made it wait costs no attempt', async () => {
    const { run, results, settled } = setup((_, { waits }) => waits && new Promise(() => {}))
    createContext(run, surroundings).waits?.()

    interruptRun(run, new Error('too late'))
    await settled()

    expect(results).toEqual([{ kind: 'deferred', forMs: 0 }])
  })
})

it('a context can be logged in one short line, and makes no signal for that', () => {
  const run = { give: undefined, abort: undefined, failedBefore: 1, localFailures: 0 } as unknown as Run
  const context = createContext(run, surroundings)
  const shown = { queue: 'work', attempt: 2, maxAttempts: 3, isAborted: false }

  expect(JSON.parse(JSON.stringify({ context }))).toEqual({ context: shown })
  expect(inspect(context, { breakLength: Infinity })).toBe(
    `HandlerContext ${inspect(shown, { breakLength: Infinity })}`,
  )
  expect(run.abort).toBeUndefined()
})

it('a context can be spread, and makes its signal only for those who ask', () => {
  const run = { give: undefined, abort: undefined } as unknown as Run
  const context = createContext(run, surroundings)

  const { attempt: _, statusTable: __, queue, ...rest } = context
  expect(queue).toBe('work')
  expect(Object.keys(context).toSorted()).toEqual([
    'attempt',
    'maxAttempts',
    'queue',
    'signal',
    'statusTable',
    'waits',
  ])
  expect(rest.signal).toBe(context.signal)
  expect({ ...context }.signal).toBe(context.signal)

  const idle = { give: undefined, abort: undefined } as unknown as Run
  expect(createContext(idle, surroundings).maxAttempts).toBe(3)
  expect(idle.abort).toBeUndefined()
})
