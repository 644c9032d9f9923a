import { expect, test } from 'vitest'
import { encodeProperties } from '../../wire/encode-properties.ts'
import type { BackupRecord } from './backup-record.ts'
import { identifyMessage } from './identify-message.ts'
import { createReturnWatch, type Lookalikes } from './return-watch.ts'

const properties = encodeProperties({})
const record = (run: number, number: number, body: string): BackupRecord => ({
  run,
  number,
  exchange: '',
  routingKey: 'dlq',
  properties,
  body: Buffer.from(body),
})
const count = (counts: Readonly<Record<string, number>>): Map<string, number> =>
  new Map(
    Object.entries(counts).map(([body, times]) => [
      identifyMessage({ properties, body: Buffer.from(body) }),
      times,
    ]),
  )
const none: Lookalikes = { present: new Map(), unseen: 0, removed: new Map() }

function tell(lookalikes: Partial<Lookalikes>, records: readonly BackupRecord[]): readonly boolean[] {
  return records.map(createReturnWatch({ ...none, ...lookalikes }))
}

test('a removed message can be back only where another like it stands in the queue', () => {
  const records = [record(1, 1, 'a'), record(1, 2, 'b')]

  expect(tell({}, records)).toEqual([false, false])
  expect(tell({ present: count({ b: 1, c: 5 }) }, records)).toEqual([false, true])
})

test('of three that are alike no more can be back than stand in the queue', () => {
  const alike = [1, 2, 3].map((number) => record(1, number, 'a'))

  expect(tell({ present: count({ a: 2 }) }, alike)).toEqual([true, true, false])
})

test('of a queue that nobody could look at each message can be one', () => {
  const records = [record(1, 1, 'a'), record(1, 2, 'b'), record(1, 3, 'c')]

  expect(tell({ unseen: 2 }, records)).toEqual([true, true, false])
  expect(tell({ unseen: Number.POSITIVE_INFINITY }, records)).toEqual([true, true, true])
})

test('what came back and was removed once more stands in a later run, and in the queue if it came back again', () => {
  const records = [record(1, 1, 'a'), record(1, 2, 'b'), record(2, 1, 'a')]
  const removed = new Map([[2, count({ a: 1 })]])

  expect(tell({ removed }, records)).toEqual([true, false, false])
  expect(tell({ removed, present: count({ a: 1 }) }, records)).toEqual([true, false, true])
})
