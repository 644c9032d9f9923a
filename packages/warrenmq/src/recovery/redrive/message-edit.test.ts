import { describe, expect, it } from 'vitest'
import { InvalidArgumentError } from '../../errors.ts'
import { encodeProperties } from '../../wire/encode-properties.ts'
import type { PlainTable } from '../../wire/plain-fields.ts'
import { editMessage, problemOfEdit } from './message-edit.ts'

const brokerHeaders = ['x-death', 'x-first-death-queue', 'x-last-death-reason', 'x-delivery-count']
const routes = ['CC', 'BCC', 'cc']
const ours = ['x-redriven-id', 'x-redriven-count', 'x-original-queue', 'warren-stripped', 'warren-previous']

describe('an edit', () => {
  it.each([...brokerHeaders, 'x-acquired-count', 'x-stream-offset', ...routes, ...ours])(
    'cannot set "%s", and the sentence says what to do',
    (name) => {
      expect(problemOfEdit({ headers: { tenant: 'blue', [name]: 'x' } })).toMatch(
        new RegExp(`^The header "${name}" cannot be edited, because .*\\. Leave it out: `),
      )
    },
  )

  it('cannot take such a header off either: what was done to a message stays written', () => {
    expect(problemOfEdit({ headers: { 'x-redriven-by': null } })).toContain('"x-redriven-by"')
  })

  it.each<[string, PlainTable, RegExp]>([
    ['no name', { '': 1 }, /has no name/],
    ['a name over 255 bytes', { ['ü'.repeat(128)]: 1 }, /has 256 bytes; AMQP allows 255/],
    ['such a name in a table', { table: { ['n'.repeat(256)]: 1 } }, /has 256 bytes; AMQP allows 255/],
  ])('that AMQP cannot say is refused: %s', (_, headers, sentence) => {
    expect(problemOfEdit({ headers })).toMatch(sentence)
  })

  it.each<PlainTable>([
    { tenant: 'blue', wrong: null },
    { 'x-tenant': 1, CCC: true, 'my-x-death': 'x' },
  ])('may change %j', (headers) => {
    expect(problemOfEdit({ headers })).toBeUndefined()
  })

  it('that nobody asked about beforehand is refused by the engine itself', () => {
    const properties = encodeProperties({})
    const message = { exchange: '', key: 'work', properties, body: Buffer.from('x') }
    const original = { properties, body: Buffer.from('x') }

    expect(() => editMessage({ message, original, edit: { headers: { 'x-death': [] } } })).toThrow(
      InvalidArgumentError,
    )
  })
})
