import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyFieldTable, anyFieldValue } from '../../../../../test/support/arbitrary/fields.ts'
import type { IncomingMessage } from '../../broker/amqp/message.ts'
import { warrenHeaders } from '../../message/warren-headers.ts'
import type { FieldContent, FieldTable } from '../../wire/field-value.ts'
import { encodeProperties } from '../../wire/properties.ts'
import { createCauseGroups } from './cause-groups.ts'
import { messageFilter } from './message-filter.ts'
import { parseFilter } from './parse-filter.ts'
import { readDeadLetter } from './read-dead-letter.ts'

const nowMs = Date.UTC(2026, 0, 1)

/** One per field and per way to compare. */
const filters = [
  ...['header.x:1', 'header.x!=1', 'header.x:a*b', 'header.x>5', 'header.x<=9007199254740993'],
  ...['body.a:1', 'body.a.b>=2', 'body.a:*', 'type:A', 'id:1', 'queue:q', 'cause:rejected', 'attempts>=1'],
  ...['died<2h', 'died>30d', 'needle', 'not header.x:1'],
].map((source) => parseFilter(source))

/** The headers that a filter or a look reads by itself. */
const readHeaders = [
  ...['x', 'MessageType', 'x-death', 'x-first-death-queue', 'x-last-death-queue', 'x-last-death-reason'],
  ...Object.values(warrenHeaders),
]
const anyReadTable = fc.array(fc.record({ name: fc.constantFrom(...readHeaders), value: anyFieldValue }), {
  maxLength: 6,
})

function message({
  headers = [],
  body = '',
}: {
  headers?: FieldTable | Buffer
  body?: string | Buffer
}): IncomingMessage {
  const bytes = Buffer.from(body as string)
  return {
    exchange: '',
    routingKey: 'dlq',
    body: bytes,
    bodyBytes: bytes.length,
    properties: encodeProperties({ headers, type: 'A' }),
  }
}

/** Everything that a command does with a message that it only looks at. */
function lookAt(each: IncomingMessage): void {
  for (const filter of filters) messageFilter(filter, nowMs)(each)
  const groups = createCauseGroups()
  groups.add(each)
  groups.list()
  readDeadLetter(each, 100)
}

describe('no message makes a filter or a look fail', () => {
  test('whatever types its headers have', () => {
    fc.assert(
      fc.property(fc.oneof(anyReadTable, anyFieldTable), (headers) => lookAt(message({ headers }))),
      { numRuns: 2_000 },
    )
  })

  test('whatever its body is', () => {
    const anyBody = fc.oneof(
      fc.json(),
      fc.string(),
      fc.json().map((text) => `{"a":${text}}`),
    )
    fc.assert(fc.property(anyBody, (body) => lookAt(message({ body }))))
  })

  test('however deep its headers and its body are', () => {
    const nested = (depth: number): FieldContent =>
      depth === 0 ? { type: 'V', value: null } : { type: 'A', value: [nested(depth - 1)] }
    for (const name of readHeaders) lookAt(message({ headers: [{ name, value: nested(200) }] }))

    lookAt(message({ body: `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}` }))
  })

  test('whenever it died', () => {
    for (const value of [2n ** 63n, 9_000_000_000_000n, 8_640_000_000_001n, 0n])
      lookAt(message({ headers: [{ name: 'x-death', value: deathAt(value) }] }))
  })
})

function deathAt(seconds: bigint): FieldContent {
  const fields: FieldTable = [
    { name: 'queue', value: { type: 'S', value: 'orders' } },
    { name: 'reason', value: { type: 'S', value: 'rejected' } },
    { name: 'time', value: { type: 'T', value: seconds } },
  ]
  return { type: 'A', value: [{ type: 'F', value: fields }] }
}

describe('a number beyond 2^53 is itself and not its neighbour', () => {
  const large = 9_007_199_254_740_993n
  const inHeader = message({ headers: [{ name: 'x', value: { type: 'l', value: large } }] })
  const inTable = message({
    headers: [{ name: 'x', value: { type: 'A', value: [{ type: 'l', value: large }] } }],
  })
  const inBody = message({ body: `{"x":${large},"text":"9007199254740995 \\" 9007199254740997","f":1.25e3}` })

  test.each([
    ['header.x:9007199254740993', inHeader, true],
    ['header.x:9007199254740992', inHeader, false],
    ['header.x>9007199254740992', inHeader, true],
    ['header.x>9007199254740993', inHeader, false],
    ['header.x>5', inHeader, true],
    ['header.x<5.5', inHeader, false],
    ['header.x:[9007199254740993]', inTable, true],
    ['body.x:9007199254740993', inBody, true],
    ['body.x:9007199254740992', inBody, false],
    ['body.x>9007199254740992', inBody, true],
    ['body.x>=9007199254740994', inBody, false],
    ['body.text:"9007199254740995 \\" 9007199254740997"', inBody, true],
    ['body.f:1250', inBody, true],
  ])('%s', (source, each, expected) => {
    expect(messageFilter(parseFilter(source), nowMs)(each)).toBe(expected)
  })
})

test('a star stands for any text, as in an expression, also where there are many', () => {
  const anyText = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 12 })
  const anyPattern = fc.array(fc.constantFrom('*', 'a', 'b', 'ab'), { maxLength: 10 })
  fc.assert(
    fc.property(anyText, anyPattern, (text, parts) => {
      const filter = parseFilter(`header.x:"${parts.join('')}"`)
      const header = message({ headers: [{ name: 'x', value: { type: 'S', value: text } }] })

      const expression = new RegExp(`^${parts.map((part) => (part === '*' ? '.*' : part)).join('')}$`)
      // Asked twice: what was taken apart for the first is used again.
      const isMatch = messageFilter(filter, nowMs)
      expect([isMatch(header), isMatch(header)]).toEqual([expression.test(text), expression.test(text)])
    }),
    { numRuns: 2_000 },
  )
})

describe('no filter makes its reader fail', () => {
  test.each([
    ['brackets', `${'('.repeat(10_000)}a${')'.repeat(10_000)}`],
    ['brackets that are not closed', '('.repeat(100_000)],
    ['nots', `${'not '.repeat(100_000)}a`],
  ])('however deep its %s are', (_, source) => {
    expect(() => parseFilter(source)).toThrow(
      expect.objectContaining({ code: 'FILTER_INVALID', message: expect.stringContaining('deep') }),
    )
  })

  test('however long it is', () => {
    const filter = parseFilter(Array.from({ length: 50_000 }, (_, index) => `a${index}`).join(' or '))
    expect(messageFilter(filter, nowMs)(message({ body: 'a49999' }))).toBe(true)

    expect(parseFilter(`"${'x\\"'.repeat(3_000_000)}"`)).toMatchObject({ kind: 'text' })
  })

  test('whatever it is', () => {
    const piece = fc.constantFrom(
      '(',
      ')',
      'not ',
      'and ',
      'or ',
      'type',
      ':',
      '<',
      '"',
      '\\',
      'header.x',
      ' ',
      '2h',
    )
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(piece).map((all) => all.join('')),
        ),
        (source) => {
          try {
            messageFilter(parseFilter(source), nowMs)(message({}))
          } catch (error) {
            expect(error).toMatchObject({ code: 'FILTER_INVALID' })
          }
        },
      ),
    )
  })
})
