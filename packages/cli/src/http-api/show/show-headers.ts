import { type FieldEntry, type FieldTable, type FieldValue, recoveryHeaders } from 'warrenmq/operations'
import { maskBody } from './mask-body.ts'
import { type PayloadRules, showsAll } from './payload-rules.ts'

/** Headers as a caller may see them: an edited message has its old body in one, and that is a payload, too. */
export function showHeaders(headers: FieldTable, rules: PayloadRules): FieldTable {
  if (showsAll(rules)) return headers
  return headers.map((entry) =>
    entry.name === recoveryHeaders.previous ? { ...entry, value: showPrevious(entry.value, rules) } : entry,
  )
}

const hidden: FieldValue = { type: 'S', value: '***' }

function showPrevious(previous: FieldValue, rules: PayloadRules): FieldValue {
  if (previous.type !== 'F') return hidden // not as we write it, so what it holds is unknown
  const show = ({ name, value }: FieldEntry): FieldEntry =>
    name === 'headers' ? { name, value } : { name, value: showBody(value, rules) }
  return { type: 'F', value: previous.value.map(show) }
}

function showBody(body: FieldValue, { isShown, maskedPaths }: PayloadRules): FieldValue {
  if (!isShown || (body.type !== 'x' && body.type !== 'S')) return hidden
  const masked = maskBody(Buffer.from(body.value as string), maskedPaths)
  if (masked.kind === 'as-it-is') return body
  return masked.kind === 'masked' ? { type: 'x', value: Buffer.from(masked.text) } : hidden
}
