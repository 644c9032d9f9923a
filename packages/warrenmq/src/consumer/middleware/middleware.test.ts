import { describe, expect, it } from 'vitest'
import type { Clock } from '../../clock.ts'
import type { SchemaIssue, SchemaResult, StandardSchema } from '../../message/standard-schema.ts'
import { type Handler, type HandlerContext, type Middleware, wrapHandler } from '../handler.ts'
import { type Answer, defer, retry } from '../handler-answer.ts'
import type { ConsumedMessage } from '../run/consumed-message.ts'
import { dedupe } from './dedupe.ts'
import { ignoreErrors } from './ignore-errors.ts'
import { memoryDedupeStore } from './memory-dedupe-store.ts'
import { processAfterDelay } from './process-after-delay.ts'
import { throttle } from './throttle.ts'
import { validateBody } from './validate-body.ts'

function message(more: Partial<ConsumedMessage> = {}): ConsumedMessage {
  return {
    id: 'm1',
    headers: {},
    body: 'b',
    rawBody: Buffer.from('b'),
    exchange: 'x',
    routingKey: 'k',
    ...more,
  } as ConsumedMessage
}
const context: HandlerContext = {
  signal: new AbortController().signal,
  attempt: 1,
  maxAttempts: 3,
  queue: 'work',
}

/** A clock that the test turns. */
function testClock(): Clock & { turn(ms: number): void } {
  let nowMs = 0
  const tasks: { atMs: number; task: () => void }[] = []
  return {
    now: () => nowMs,
    schedule: (delayMs, task) => {
      const entry = { atMs: nowMs + delayMs, task }
      tasks.push(entry)
      return () => void tasks.splice(tasks.indexOf(entry) >>> 0, 1)
    },
    turn: (ms) => {
      nowMs += ms
      for (const entry of tasks.filter(({ atMs }) => atMs <= nowMs)) {
        tasks.splice(tasks.indexOf(entry), 1)
        entry.task()
      }
    },
  }
}

it('the first middleware of a list is the outermost', async () => {
  const calls: string[] = []
  const note =
    (name: string): Middleware =>
    (next) =>
    (...args) => {
      calls.push(name)
      return next(...args)
    }
  await wrapHandler(() => void calls.push('handler'), [note('a'), note('b')])(message(), context)
  expect(calls).toEqual(['a', 'b', 'handler'])
})

/** No answer that means anything, so that it shows what came through. */
const ran: Handler = () => 'ran' as never

describe('dedupe', () => {
  it('does not run again what is done but could not be written down, and warns', async () => {
    const store = memoryDedupeStore()
    const failing = { ...store, finish: () => Promise.reject(new Error('store is down')) }
    const warned = new Promise<Error>((resolve) => process.once('warning', resolve))
    let runs = 0
    const handler = dedupe(failing)(() => {
      runs += 1
    })

    await expect(handler(message(), context)).resolves.toBeUndefined()
    const second = await handler(message(), context)

    expect(runs).toBe(1)
    expect(second).toMatchObject({ result: { kind: 'deferred' } })
    expect(await warned).toMatchObject({ code: 'WARREN_DEDUPE_NOT_KEPT' })
  })

  function setup(answers: readonly unknown[]) {
    const clock = testClock()
    let runs = 0
    const handler: Handler = async () => {
      const answer = answers[Math.min(runs, answers.length - 1)]
      runs += 1
      if (answer instanceof Error) throw answer
      return answer as Answer
    }
    const wrapped = dedupe(memoryDedupeStore({ clock }), { keep: '1h', lease: '1m' })(handler)
    return {
      clock,
      run: () => wrapped(message(), context),
      runs: () => runs,
    }
  }

  it('runs a message once and acknowledges its duplicates until it is forgotten', async () => {
    const { run, runs, clock } = setup([undefined])
    await run()
    expect(await run()).toBeUndefined()
    expect(runs()).toBe(1)
    clock.turn(3_600_001)
    await run()
    expect(runs()).toBe(2)
  })

  it('lets a message run again that failed or asked for a retry', async () => {
    const { run, runs } = setup([new Error('no'), retry(), { status: 500 }, undefined])
    await expect(run()).rejects.toThrow('no')
    await run()
    await run()
    await run()
    await run()
    expect(runs()).toBe(4)
  })

  it.each([
    ['a 200 is done', { status: 200 }, undefined, 1],
    ['a Response of 204 is done', new Response(null, { status: 204 }), undefined, 1],
    ['a 404 is not', { status: 404 }, undefined, 2],
    ['a 404 is done where the table says so', { status: 404 }, [{ from: 404, means: 'acknowledge' }], 1],
  ] as const)(
    'remembers what is acknowledged, by the table of the consumer: %s',
    async (_, answer, rules, expected) => {
      const statusTable = rules && { rules, honoursRetryAfter: false }
      let runs = 0
      const handler = dedupe(memoryDedupeStore())(() => {
        runs += 1
        return answer
      })

      for (let copy = 0; copy < 2; copy += 1)
        await handler(message(), { ...context, ...(statusTable && { statusTable }) })

      expect(runs).toBe(expected)
    },
  )

  it('defers a message that another is at, and takes it over when the lease ends', async () => {
    const clock = testClock()
    const store = memoryDedupeStore({ clock })
    const run = () => dedupe(store)(ran)(message(), context)
    expect(await store.begin('work:m1', 10)).toMatchObject({ key: 'work:m1' })

    expect(((await run()) as Answer).result).toEqual({ kind: 'deferred', forMs: 5_000 })
    clock.turn(11)
    expect(await run()).toBe('ran')
  })

  it('lets every message without an id through', async () => {
    let runs = 0
    const anonymous = dedupe(memoryDedupeStore())(() => void ++runs)
    for (let copy = 0; copy < 2; copy += 1) await anonymous(message({ id: undefined }), context)
    expect(runs).toBe(2)
  })

  it('forgets the oldest beyond its limit', async () => {
    const store = memoryDedupeStore({ limit: 2, clock: testClock() })
    for (const key of ['a', 'b', 'c']) await store.finish({ key, token: 't' }, 1_000)
    expect([await store.begin('b', 1), await store.begin('c', 1), await store.begin('a', 1)]).toEqual([
      'done',
      'done',
      { key: 'a', token: '1' },
    ])
  })

  it('lets go of a message whose handler throws before it returns a promise', async () => {
    const store = memoryDedupeStore()
    const throwing = dedupe(store)(() => {
      throw new Error('at once')
    })

    await expect(throwing(message(), context)).rejects.toThrow('at once')

    expect(await store.begin('work:m1', 10)).toMatchObject({ key: 'work:m1' })
  })

  it("throws the handler's own error although the store is down, and warns", async () => {
    const failing = { ...memoryDedupeStore(), release: () => Promise.reject(new Error('store is down')) }
    const warned = new Promise<Error>((resolve) => process.once('warning', resolve))

    const run = dedupe(failing)(() => Promise.reject(new Error('no')))(message(), context)

    await expect(run).rejects.toThrow('no')
    expect(await warned).toMatchObject({ code: 'WARREN_DEDUPE_NOT_RELEASED' })
  })

  it('shows the id of a message in a warning, and lets it steer no terminal', async () => {
    const failing = { ...memoryDedupeStore(), finish: () => Promise.reject(new Error('down\u0007')) }
    const warned = new Promise<Error>((resolve) => process.once('warning', resolve))

    await dedupe(failing)(() => undefined)(message({ id: 'm\u001b[2J' }), context)

    const warning = await warned
    expect(warning.message).toContain('work:m\\u001b[2J is done')
    expect(warning.message).not.toMatch(/\p{Cc}/u)
  })

  it('leaves a message alone that was taken over when its lease ended, and warns', async () => {
    const clock = testClock()
    const store = memoryDedupeStore({ clock })
    const warned = new Promise<Error>((resolve) => process.once('warning', resolve))
    const slow = dedupe(store, { lease: 10 })(async () => {
      clock.turn(11)
      expect(await store.begin('work:m1', 1_000)).toMatchObject({ token: '2' })
      return 'ran' as never
    })

    expect(await slow(message(), context)).toBe('ran')

    expect(await store.begin('work:m1', 1_000)).toBe('busy')
    expect(await warned).toMatchObject({ code: 'WARREN_DEDUPE_LEASE_ENDED' })
  })
})

describe('processAfterDelay', () => {
  const early = processAfterDelay({ now: () => 10_000 })(ran)
  const at = (timestamp: Date | undefined, delay: unknown) =>
    early(message({ timestamp, headers: { processAfterDelayMs: delay as number } }), context)

  it('defers until the delay has passed since the timestamp', () => {
    expect((at(new Date(9_000), 5_000) as Answer).result).toEqual({ kind: 'deferred', untilMs: 14_000 })
    expect(at(new Date(9_000), 1_000)).toBe('ran')
    expect((at(new Date(9_000), 5_000.5) as Answer).result).toEqual({ kind: 'deferred', untilMs: 14_001 })
  })

  it.each([1e300, 'Infinity'])('fails with a sentence where no date is so far ahead: %s', (delay) => {
    expect(() => at(new Date(9_000), delay)).toThrow(/"processAfterDelayMs" says .*: no date is/)
  })

  it.each([
    [undefined, 5_000],
    [new Date(9_000), undefined],
    [new Date(9_000), 'soon'],
  ])('handles at once what says no time: %s %s', (timestamp, delay) => {
    expect(at(timestamp, delay)).toBe('ran')
  })
})

describe('validateBody', () => {
  const schema = {
    '~standard': {
      version: 1,
      vendor: 'test',
      validate: (value: unknown) =>
        typeof value === 'string'
          ? { value: { text: value } }
          : { issues: [{ message: 'no text', path: [{ key: 'a' }, 0] }] },
    },
  } as const

  it('gives the handler what the schema made of the body, and the rest as it was', async () => {
    const handler: Handler = ({ body, id }) => [body, id] as never
    expect(await validateBody(schema)(handler)(message(), context)).toEqual([{ text: 'b' }, 'm1'])
  })

  it('throws a permanent error that says what is wrong', async () => {
    const run = validateBody(schema)(() => undefined)(message({ body: 5 }), context)
    await expect(run).rejects.toMatchObject({
      code: 'MESSAGE_INVALID',
      isPermanent: true,
      message: 'The message "m1" does not fit its schema: a.0: no text.',
    })
  })

  it.each([
    [
      'as valibot does, with more in each step of a path',
      [{ type: 'object', key: 'a', input: {} }],
      'a: bad',
    ],
    [
      'with a symbol for a key',
      [Symbol('hidden'), { key: Symbol.iterator }],
      'Symbol(hidden).Symbol(Symbol.iterator): bad',
    ],
    ['without a path', undefined, 'bad'],
    ['with an empty path', [], 'bad'],
  ] as readonly [string, SchemaIssue['path'], string][])('reads issues %s', async (_, path, sentence) => {
    const issues = [{ message: 'bad', ...(path && { path }) }]
    const run = validateBody(answering({ issues }))(() => undefined)(message(), context)
    await expect(run).rejects.toThrow(`The message "m1" does not fit its schema: ${sentence}.`)
  })

  it('says of many issues the first five, and of none that there is none', async () => {
    const many = Array.from({ length: 7 }, (_, index) => ({ message: `bad ${index}` }))
    const sentenceOf = (issues: readonly SchemaIssue[]) =>
      validateBody(answering({ issues }))(() => undefined)(message(), context)
    await expect(sentenceOf(many)).rejects.toThrow('bad 0; bad 1; bad 2; bad 3; bad 4; and 2 more.')
    await expect(sentenceOf([])).rejects.toThrow('does not fit its schema: it does not say why.')
  })

  it('waits for a schema that answers later, and takes one that is a function, as those of arktype are', async () => {
    const later = answering(Promise.resolve({ value: 7 }))
    const callable = Object.assign(() => 'not this', later)
    expect(await validateBody(callable)(({ body }) => body as never)(message(), context)).toBe(7)
  })

  it('lets an error of the schema itself be retried', async () => {
    const broken = answering(Promise.reject(new Error('its table is away')))
    const run = validateBody(broken)(() => undefined)(message(), context)
    await expect(run).rejects.not.toHaveProperty('isPermanent')
  })
})

function answering(answer: SchemaResult<unknown> | Promise<SchemaResult<unknown>>): StandardSchema {
  return { '~standard': { version: 1, vendor: 'test', validate: () => answer } }
}

it('ignoreErrors acknowledges what is told to be harmless and throws the rest', async () => {
  const failing = ignoreErrors((error) => (error as Error).message === 'harmless')
  expect(await failing(() => Promise.reject(new Error('harmless')))(message(), context)).toBeUndefined()
  await expect(failing(() => Promise.reject(new Error('bad')))(message(), context)).rejects.toThrow('bad')
})

it('throttle starts handlers evenly spread', async () => {
  const clock = testClock()
  const started: number[] = []
  const run = throttle({ perSecond: 10, clock })(() => void started.push(clock.now()))
  const all = [1, 2, 3].map(() => run(message(), context))
  await all[0]
  clock.turn(100)
  await all[1]
  clock.turn(100)
  await all[2]
  expect(started).toEqual([0, 100, 200])
})

it('throttle gives the turn of one that is aborted to the next one', async () => {
  const clock = testClock()
  const started: string[] = []
  const run = throttle({ perSecond: 10, clock })(({ id }) => void started.push(`${id} at ${clock.now()}`))
  const abort = new AbortController()
  await run(message({ id: 'first' }), context)
  const aborted = run(message({ id: 'aborted' }), { ...context, signal: abort.signal }) as Promise<unknown>
  const next = run(message({ id: 'next' }), context)

  abort.abort(new Error('no more time'))
  await expect(aborted).rejects.toThrow('no more time')
  clock.turn(100)
  await next
  expect(started).toEqual(['first at 0', 'next at 100'])
})

it('throttle says when the wait is over, and defers what has waited too long for its handler', async () => {
  const clock = testClock()
  const said: string[] = []
  const waits = (isInTime: boolean) => () => {
    said.push(`waits at ${clock.now()}`)
    return () => {
      said.push(`begins at ${clock.now()}`)
      return isInTime
    }
  }
  const run = throttle({ perSecond: 10, clock })(() => void said.push('handled'))
  await run(message(), context)
  const late = run(message(), { ...context, waits: waits(false) })
  clock.turn(100)
  expect(await late).toEqual(defer(0))
  expect(said).toEqual(['handled', 'waits at 0', 'begins at 100'])
})
