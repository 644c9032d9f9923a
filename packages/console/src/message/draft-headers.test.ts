import { expect, it } from 'vitest'
import { changedHeaders, draftHeaders, sayDrafts } from './draft-headers.ts'

const headers = [
  { name: 'tenant', type: 'S', value: 'acme' },
  { name: 'retries', type: 'I', value: 7 },
  { name: 'warren-attempts', type: 'I', value: 5 },
  { name: 'table', type: 'F', value: {} },
]

it('only plain headers of the publisher can be changed', () => {
  expect(draftHeaders(headers).map(({ name }) => name)).toEqual(['tenant', 'retries'])
})

it('a change keeps the kind of the value, and what is as it was is not sent', () => {
  const [tenant, retries] = draftHeaders(headers)
  const added = { name: 'note', value: '1', before: undefined, isRemoved: false }

  expect(changedHeaders([tenant!, retries!])).toBeUndefined()
  expect(changedHeaders([{ ...tenant!, isRemoved: true }, { ...retries!, value: '8' }, added])).toEqual({
    tenant: null,
    retries: 8,
    note: '1',
  })
  expect(sayDrafts([{ ...retries!, value: '8' }, added])).toBe('retries: 8\nnote: "1"')
})
