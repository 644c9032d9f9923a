import { expect, it } from 'vitest'
import { toFieldTable, toPlainTable } from '../wire/plain-fields.ts'
import { encodeProperties, readProperty } from '../wire/properties.ts'
import { clientHeaders } from './client-headers.ts'

const encoded = (headers: Record<string, unknown>) =>
  readProperty(encodeProperties({ headers: toFieldTable(headers as never) }), 'headers')

it('has what applications set, in its order, and nothing of RabbitMQ or Warren', () => {
  const headers = encoded({ 'x-death': [], tenant: 'acme', 'warren-attempts': 3, retries: 2, flag: true })

  expect(toPlainTable(clientHeaders(headers))).toEqual({ tenant: 'acme', retries: 2, flag: true })
})

it('is empty where a message has no headers', () => {
  expect(clientHeaders(undefined)).toEqual([])
  expect(clientHeaders(encoded({}))).toEqual([])
})

it('refuses a table that is cut short', () => {
  const headers = encoded({ tenant: 'acme' })!

  expect(() => clientHeaders(headers.subarray(0, -1))).toThrow('ends in the middle of an entry')
})
