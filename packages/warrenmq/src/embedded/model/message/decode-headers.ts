import { decodeShownTable } from '../../../wire/decode-table.ts'
import { sizeOfTable } from '../../../wire/encode-table.ts'
import type { FieldEntry, FieldTable } from '../../../wire/field-value.ts'

/**
 * The headers of a message, to be changed and written again. RabbitMQ passes on values however deep they are nested,
 * so each nested value keeps its bytes: what lies too deep to be decoded is still written as it came.
 */
export function decodeHeaders(table: Buffer): FieldTable {
  let end = 0
  return decodeShownTable(table).map((entry) => {
    // What is shown as bytes takes as much room as what it stands for.
    const start = end
    end += sizeOfTable([entry])
    return isNested(entry) ? keepBytes(entry, table.subarray(start, end)) : entry
  })
}

export function isNested({ value }: FieldEntry): boolean {
  return value.type === 'A' || value.type === 'F'
}

function keepBytes(entry: FieldEntry, bytes: Buffer): FieldEntry {
  const nameEnd = 1 + bytes[0]!
  return { ...entry, value: { ...entry.value, raw: bytes.subarray(nameEnd) } }
}
