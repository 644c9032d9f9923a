import { findHeader } from '../../packages/warrenmq/src/wire/edit-table.ts'
import type { FieldValue } from '../../packages/warrenmq/src/wire/field-value.ts'
import { type RawProperties, readProperty } from '../../packages/warrenmq/src/wire/properties.ts'

/** Reads one header of a message and decodes nothing else. */
export function readHeader(raw: RawProperties, name: string): FieldValue | undefined {
  const headers = readProperty(raw, 'headers')
  return headers && findHeader(headers, name)
}
