import { expect, it } from 'vitest'
import { findJumps } from './find-jumps.ts'

const queues = [
  { queue: 'billing.orders.dlq', messages: 4 },
  { queue: 'mail.dlq', messages: 12 },
  { queue: 'gone.dlq', messages: null },
]
const namesOf = (text: string): readonly string[] => findJumps(text, queues).map(({ name }) => name)

it('the deepest queue comes first, and pages behind the queues', () => {
  expect(namesOf('').slice(0, 4)).toEqual(['mail.dlq', 'billing.orders.dlq', 'gone.dlq', 'Dead letters'])
})

it('all words must be in the name, in any order and case', () => {
  expect(namesOf('DLQ bill')).toEqual(['billing.orders.dlq'])
  expect(namesOf('audit')).toEqual(['Audit log'])
  expect(namesOf('nothing')).toEqual([])
})
