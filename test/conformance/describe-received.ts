import { decodeTable } from '../../packages/warrenmq/src/wire/decode-table.ts'
import type { FieldValue } from '../../packages/warrenmq/src/wire/field-value.ts'
import type { Method } from '../../packages/warrenmq/src/wire/method-specs.ts'
import { decodeProperties } from '../../packages/warrenmq/src/wire/properties.ts'
import type { Received } from './raw-client.ts'

/** All that came in, as text that two runs can be compared by. */
export function describeReceived({ method, properties, body }: Received): string {
  const content = properties ? ` ${describeProperties(properties)} ${body!.toString()}` : ''
  return describeMethod(method) + content
}

export function describeMethod(method: Method): string {
  return JSON.stringify(method, showBigInts)
}

/** Everything but the times of death, which no two runs share. */
function describeProperties(raw: Buffer): string {
  const { headers, ...rest } = decodeProperties(raw)
  const table = headers && decodeTable(headers)
  return JSON.stringify(
    { ...rest, ...(table ? { headers: table.map(({ name, value }) => [name, fixTimes(name, value)]) } : {}) },
    showBigInts,
  )
}

function fixTimes(name: string, value: FieldValue): unknown {
  if (name !== 'x-death' || value.type !== 'A') return value
  return value.value.map((death) =>
    death.type === 'F'
      ? death.value.map((entry) =>
          entry.name === 'time' ? ['time', entry.value.type] : [entry.name, entry.value],
        )
      : death,
  )
}

function showBigInts(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}
