import { expect, it } from 'vitest'
import { createMessageIds } from './message-ids.ts'

it('makes a UUID for each of many messages, none twice', () => {
  const [one, other] = [createMessageIds(), createMessageIds()]

  const ids = Array.from({ length: 5_000 }, (_, index) => (index % 2 === 0 ? one() : other()))

  expect(new Set(ids).size).toBe(5_000)
  for (const id of ids)
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
})
