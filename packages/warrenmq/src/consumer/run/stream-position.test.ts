import { expect, it } from 'vitest'
import { encodeTable } from '../../wire/encode-table.ts'
import { toFieldTable } from '../../wire/plain-fields.ts'
import type { Run } from './run.ts'
import { createStreamPosition } from './stream-position.ts'

const runAt = (offset: number) =>
  ({ headers: encodeTable(toFieldTable({ 'x-stream-offset': BigInt(offset) })) }) as Run
const done = { kind: 'settled', outcome: { kind: 'acknowledge' }, isAcknowledged: true } as const
const givenBack = { kind: 'settled', outcome: { kind: 'give-back' }, isAcknowledged: false } as const

it.each([
  ['next', 'next'],
  [7, 7],
  [new Date(5), new Date(5)],
  ['1h30m', '5400s'],
  [undefined, undefined],
] as const)('a stream is first read from %s', (start, offset) => {
  expect(createStreamPosition(start).offset()).toEqual(offset)
})

it('goes on behind what was handled, at the first that was not', () => {
  const position = createStreamPosition('first')
  const runs = [10, 11, 12, 13].map(runAt)
  for (const run of runs) position.received(run)
  position.ended(runs[0]!, done)
  position.ended(runs[2]!, done)
  position.ended(runs[1]!, givenBack)

  expect(position.offset()).toBe(11)
  position.lost()
  expect(position.offset()).toBe(11)

  for (const run of runs.slice(1)) position.received(run)
  for (const run of runs.slice(1)) position.ended(run, done)
  expect(position.offset()).toBe(14)
  position.lost()
  expect(position.offset()).toBe(14)
})
