import { expect, test } from 'vitest'
import { type PlainTable, toFieldTable, typed } from '../../../wire/plain-fields.ts'
import { hashTable } from './hash-table.ts'

const long = (value: bigint) => typed({ type: 'l', value })

/** As RabbitMQ 3.10, 4.0 and 4.3 name bindings with these arguments. */
test.each<[string, PlainTable]>([
  ['KCO9yA', { a: 'b' }],
  ['-5qlfw', { n: long(5n) }],
  ['bCdkJA', { n: long(-7n) }],
  ['H0qpNQ', { n: long(268_435_456n) }],
  ['hMjQnA', { n: long(99_999_999_999n) }],
  ['fF0G0A', { f: 1.5 }],
  ['jAoWCw', { y: true, z: false }],
  ['BX2YyQ', { l: [long(1n), 'x'] }],
  ['IL_SLw', { l: [] }],
  ['q7Y1kQ', { t: { a: 'b' } }],
  ['nUcNOQ', { t: {} }],
  ['edljqQ', { kind: 'a', 'x-match': 'all' }],
  ['gW4Fdw', { s: 'a longer text that has more than twelve bytes' }],
  ['xDY5TA', { e: '' }],
])('arguments have the hash %s that RabbitMQ gives them', (hash, plain) => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(hashTable(toFieldTable(plain)))

  expect(bytes.toString('base64url')).toBe(hash)
})
