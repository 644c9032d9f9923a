import { describe, expect, test } from 'vitest'
import type { IncomingMessage } from '../../broker/amqp/message.ts'
import { type PlainTable, toFieldTable } from '../../wire/plain-fields.ts'
import { encodeProperties } from '../../wire/properties.ts'
import { createCauseGroups, type GroupOptions } from './cause-groups.ts'
import { parseGroupBy } from './parse-group-by.ts'

function letter({ headers = {}, body = {} }: { headers?: PlainTable; body?: unknown }): IncomingMessage {
  const bytes = Buffer.from(JSON.stringify(body))
  const died = { 'x-last-death-queue': 'orders', 'x-last-death-reason': 'rejected' }
  return {
    exchange: '',
    routingKey: 'dlq',
    body: bytes,
    bodyBytes: bytes.length,
    properties: encodeProperties({ headers: toFieldTable({ ...died, ...headers }) }),
  }
}

function group(letters: readonly IncomingMessage[], options: GroupOptions) {
  const groups = createCauseGroups(options)
  for (const each of letters) groups.add(each)
  return groups.list()
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)

describe('fields that tell messages of one cause apart', () => {
  const letters = numbers(100).map((index) =>
    letter({
      headers: { tenant: index % 5 === 0 ? 'zenith' : 'acme', trace: `t-${index}` },
      body: { id: index, fault: { code: index % 2 }, list: [index % 3], flag: true },
    }),
  )

  test('are found in headers and bodies, whatever comes first', () => {
    const [cause] = group(
      letters.toSorted((left, right) => left.bodyBytes - right.bodyBytes),
      { splits: 'all' },
    )

    expect(cause?.splits?.map(({ field }) => field)).toEqual(['body.fault.code', 'header.tenant'])
    expect(cause?.splits?.[1]?.values).toEqual([
      { value: 'acme', count: 80 },
      { value: 'zenith', count: 20 },
    ])
  })

  test('are no parts of bodies for who is not shown bodies', () => {
    const [cause] = group(letters, { splits: 'without-body' })

    expect(cause?.splits?.map(({ field }) => field)).toEqual(['header.tenant'])
  })

  test('are not looked for where an error was written down', () => {
    const [cause] = group(
      letters.map((_, index) =>
        letter({ headers: { 'x-final-error': 'no answer', tenant: String(index % 2) } }),
      ),
      { splits: 'all' },
    )

    expect(cause?.splits).toBeUndefined()
  })
})

test('a field with more values than can be held leaves a rest, and every message is counted once', () => {
  const groups = group(
    numbers(5_000).map((id) => letter({ body: { id } })),
    { groupBy: parseGroupBy('body.id') },
  )

  expect(groups).toHaveLength(1_001)
  expect(groups.reduce((sum, { count }) => sum + count, 0)).toBe(5_000)
  expect(groups.at(-1)).toMatchObject({ id: 'rest', count: 4_000 })
})

test('names and values that a message invents do not fill the memory', () => {
  const groups = createCauseGroups({ splits: 'all' })
  const many = Object.fromEntries(numbers(300).map((index) => [`f${index}`, 'v'.repeat(1_000)]))
  for (const index of numbers(2_000)) groups.add(letter({ body: { [`n${index}`]: index, ...many } }))

  const [cause] = groups.list()

  expect(cause?.count).toBe(2_000)
  expect(JSON.stringify(cause).length).toBeLessThan(20_000)
})

test.each(['', 'died', 'kee', 'header.', 'a,b,c,d,e,f'])('"%s" is nothing to group by', (source) => {
  expect(() => parseGroupBy(source)).toThrow(expect.objectContaining({ code: 'FILTER_INVALID' }))
})
