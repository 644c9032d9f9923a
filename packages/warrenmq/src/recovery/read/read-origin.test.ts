import { expect, test } from 'vitest'
import { encodeTable } from '../../wire/encode-table.ts'
import { toFieldTable } from '../../wire/plain-fields.ts'
import { readOriginAddress, readOriginQueue } from './read-origin.ts'

const isPassage = (queue: string) => queue === 'wait' || queue === 'dlq'
const death = (queue: string) => ({
  queue,
  reason: 'rejected',
  count: 1,
  exchange: '',
  'routing-keys': [queue],
})

test.each([
  [
    "the broker's word before a publisher's",
    { 'x-first-death-queue': 'work', 'x-original-queue': 'forged' },
    'work',
  ],
  ['what was written where the broker says nothing', { 'x-original-queue': 'work' }, 'work'],
  [
    'what was written where it died first on its way',
    { 'x-first-death-queue': 'wait', 'x-original-queue': 'work' },
    'work',
  ],
  [
    'a later death where neither tells',
    { 'x-first-death-queue': 'wait', 'x-death': [death('wait'), death('work')] },
    'work',
  ],
  ['nothing where nobody knows', { 'x-original-queue': 'dlq' }, undefined],
])('the origin is %s', (_, headers, queue) => {
  expect(readOriginQueue(encodeTable(toFieldTable(headers)), isPassage)?.queue).toBe(queue)
})

const first = { 'x-first-death-queue': 'work', 'x-first-death-reason': 'rejected' }
const written = { 'x-original-exchange': 'mine', 'x-original-routing-key': 'mine' }
const died = (exchange: string, key: string) => ({ ...death('work'), exchange, 'routing-keys': [key] })

test.each([
  ["the broker's word before a publisher's", { ...written, ...first, 'x-death': [died('events', 'k')] }, 'k'],
  ['what was written where the broker says nothing', written, 'mine'],
  [
    'what was written where it was put into its queue by name',
    { ...written, ...first, 'x-death': [died('', 'work')] },
    'mine',
  ],
  [
    'what was written where it died first on its way',
    {
      ...written,
      'x-first-death-queue': 'wait',
      'x-first-death-reason': 'rejected',
      'x-death': [{ ...death('wait'), exchange: 'retries', 'routing-keys': ['30s'] }],
    },
    'mine',
  ],
  [
    "the broker's word where half of it is written",
    { ...first, 'x-death': [died('', 'work')], 'x-original-routing-key': 'mine' },
    'work',
  ],
])('the address is %s', (_, headers, key) => {
  expect(readOriginAddress(encodeTable(toFieldTable(headers)), isPassage)?.key).toBe(key)
})
