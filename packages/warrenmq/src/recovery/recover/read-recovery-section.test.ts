import { expect, test } from 'vitest'
import { readRecoverySection } from './read-recovery-section.ts'

const section = { queues: ['dlq'], types: { CollectionScan: 'collection.scan' } }

test('every setting of the reference service is read', () => {
  const timeouts = { total: '30m', idle: '10s', empty: '5s', stall: '30s' }

  expect(
    readRecoverySection({ ...section, exchange: 'x', prefetch: 1, messageTimeout: '24h', timeouts }),
  ).toEqual({
    queues: ['dlq'],
    types: { routes: { CollectionScan: { exchange: 'x', key: 'collection.scan' } } },
    window: { messages: 1 },
    maxHoldMs: 24 * 60 * 60_000,
    timeouts: { totalMs: 1_800_000, idleMs: 10_000, emptyMs: 5_000, stallMs: 30_000 },
  })
})

test('what is not said is left to the defaults', () => {
  expect(readRecoverySection(section)).toEqual({
    queues: ['dlq'],
    types: { routes: { CollectionScan: { exchange: '', key: 'collection.scan' } } },
    timeouts: {},
  })
})

test.each([
  [{ ...section, timeout: {} }, 'recovery has no "timeout"; did you mean "timeouts"?'],
  [{ ...section, prefetchCount: 1 }, 'recovery has no "prefetchCount"'],
  [{ ...section, colour: 1 }, 'recovery has no "colour"; it has queues, exchange, types'],
  [{ ...section, timeouts: { stal: '5s' } }, 'recovery.timeouts has no "stal"; did you mean "stall"?'],
  [
    { ...section, types: { A: { exchange: '', kee: 'a' } } },
    'recovery.types["A"] has no "kee"; did you mean "key"?',
  ],
  [{ ...section, typeHeader: 1 }, 'recovery.typeHeader must be the name of a header.'],
  [{ ...section, prefetch: 0 }, 'recovery.prefetch must be a whole number from 1 to 65535.'],
  [{ ...section, messageTimeout: 'long' }, "recovery.messageTimeout: 'long' is not a duration"],
  [
    { ...section, timeouts: { total: '30m', stall: '5' } },
    "recovery.timeouts.stall: The duration '5' has no unit",
  ],
  [{ ...section, timeouts: { idle: null } }, 'recovery.timeouts.idle: A duration is a number'],
  [{ ...section, queues: [] }, 'recovery.queues must be a list of queue names.'],
])('%j is refused', (mistaken, problem) => {
  expect(() => readRecoverySection(mistaken)).toThrow(problem)
})
