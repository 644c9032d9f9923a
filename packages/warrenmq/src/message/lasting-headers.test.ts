import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyFieldTable } from '../../../../test/support/arbitrary/fields.ts'
import { anyProperties } from '../../../../test/support/arbitrary/properties.ts'
import { decodeTable } from '../wire/decode-table.ts'
import { encodeTable } from '../wire/encode-table.ts'
import type { FieldEntry, FieldTable } from '../wire/field-value.ts'
import { editProperties, encodeProperties, readProperty } from '../wire/properties.ts'
import { lastingHeaders, lastingProperties } from './lasting-headers.ts'

const text = (name: string, value = ''): FieldEntry => ({ name, value: { type: 'S', value } })
const count = (name: string): FieldEntry => ({ name, value: { type: 'l', value: 2n } })
const table = (name: string, value: FieldTable): FieldEntry => ({ name, value: { type: 'F', value } })
const lasting = (entries: FieldTable) => decodeTable(lastingHeaders(encodeTable(entries)))

/** As `rabbit_misc:set_table_value` of RabbitMQ 3 does it. */
function asReturned(headers: FieldTable): FieldTable {
  return [...headers, count('x-delivery-count')].sort((one, other) =>
    Buffer.compare(bytesOfName(one), bytesOfName(other)),
  )
}

function bytesOfName({ name, nameBytes }: FieldEntry): Buffer {
  return nameBytes ?? Buffer.from(name)
}

describe('headers that last', () => {
  it('stand in the order of the bytes of their names', () => {
    const names = ['tenant', 'Área', 'b', 'B', 'aa', 'a', '', '\u{1f407}', '\uffee']
    expect(lasting(names.map((name) => text(name))).map(({ name }) => name)).toEqual([
      ...['', 'B', 'a', 'aa', 'b', 'tenant', 'Área', '\uffee', '\u{1f407}'],
    ])
  })

  it('are all but the counts of deliveries', () => {
    const counted = [count('x-delivery-count'), text('tenant'), count('x-acquired-count'), text('x-other')]
    expect(lasting(counted)).toEqual([text('tenant'), text('x-other')])
  })

  it('keep the order of one name that stands twice, and that inside a table', () => {
    const inner = [text('z'), text('a')]
    expect(lasting([text('t', '2'), table('s', inner), text('t', '1')])).toEqual([
      ...[table('s', inner), text('t', '2'), text('t', '1')],
    ])
  })

  it('are found below any depth of tables', () => {
    let deep = encodeTable([text('end')])
    for (let depth = 0; depth < 200; depth += 1) deep = encodeTable([{ ...text('t'), value: rawTable(deep) }])
    expect(lastingHeaders(Buffer.concat([encodeTable([text('u')]), deep]))).toEqual(
      Buffer.concat([deep, encodeTable([text('u')])]),
    )
  })

  it('are the same after a return, whatever they are', () => {
    fc.assert(
      fc.property(anyFieldTable, (headers) => {
        expect(lastingHeaders(encodeTable(asReturned(headers)))).toEqual(lastingHeaders(encodeTable(headers)))
      }),
    )
  })

  it('of a table that is cut off are an error', () => {
    expect(() => lastingHeaders(encodeTable([text('a', 'long')]).subarray(0, 6))).toThrow(
      expect.objectContaining({ code: 'WIRE_TRUNCATED' }),
    )
  })
})

describe('properties with lasting headers', () => {
  it('have every other property as it was', () => {
    fc.assert(
      fc.property(anyProperties, (input) => {
        const raw = encodeProperties(input)
        const others = editProperties(raw, { remove: ['headers'] })

        expect(editProperties(lastingProperties(raw), { remove: ['headers'] })).toEqual(others)
      }),
    )
  })

  it('are byte for byte those whose headers stand in their order', () => {
    const raw = encodeProperties({ messageId: 'm', headers: [text('a'), text('b')] })
    expect(lastingProperties(raw)).toEqual(raw)
  })

  it('have no table where the broker made one for its count', () => {
    const raw = encodeProperties({ messageId: 'm', headers: [count('x-delivery-count')] })
    expect(readProperty(lastingProperties(raw), 'headers')).toBeUndefined()
    expect(lastingProperties(raw)).toEqual(encodeProperties({ messageId: 'm' }))
  })
})

function rawTable(content: Buffer): FieldEntry['value'] {
  const head = Buffer.from([0x46, 0, 0, 0, 0])
  head.writeUInt32BE(content.length, 1)
  return { type: 'F', value: [], raw: Buffer.concat([head, content]) }
}
