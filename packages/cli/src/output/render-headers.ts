import type { PlainField, PlainTable } from 'warrenmq'
import { escapeLine, textOfUtf8 } from 'warrenmq/operations'

/** More of a value nobody reads on a terminal; `--json` has all of it. */
const mostCharacters = 200

/** The headers of a message for people, each on one line. */
export function renderHeaders(headers: PlainTable): readonly string[] {
  return Object.entries(headers).map(([name, value]) =>
    escapeLine(`${name}: ${cut(renderField(name, value))}`),
  )
}

function cut(text: string): string {
  return text.length > mostCharacters ? `${text.slice(0, mostCharacters)} …` : text
}

function renderField(name: string, value: PlainField | undefined): string {
  return (name === 'x-death' ? renderDeaths(value) : undefined) ?? renderValue(value)
}

/** Where it died of what, as RabbitMQ lists it. Undefined for what is no history: anybody can send such a header. */
function renderDeaths(value: PlainField | undefined): string | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined
  const deaths = value.map(renderDeath)
  return deaths.includes(undefined) ? undefined : deaths.join(', ')
}

function renderDeath(death: PlainField): string | undefined {
  if (!isTable(death)) return undefined
  const { queue, reason, count }: PlainTable = death
  if (typeof queue !== 'string' || typeof reason !== 'string') return undefined
  const times = typeof count === 'number' && count !== 1 ? ` (${count} times)` : ''
  return `${reason} in ${queue}${times}`
}

function renderValue(value: PlainField | undefined): string {
  if (Array.isArray(value)) return `[${value.map(renderValue).join(', ')}]`
  if (Buffer.isBuffer(value)) return renderBytes(value)
  if (value instanceof Date) return value.toISOString()
  if (!isTable(value)) return String(value)
  const fields = Object.entries(value).map(([name, field]) => `${name}: ${renderField(name, field)}`)
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`
}

/** .NET clients send text as bytes. */
function renderBytes(bytes: Buffer): string {
  const text = textOfUtf8(bytes, 0, bytes.length)
  return text === undefined || /\p{Cc}/u.test(text) ? `${bytes.length} bytes` : text
}

function isTable(value: PlainField | undefined): value is PlainTable {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !Buffer.isBuffer(value) &&
    !(value instanceof Date)
  )
}
