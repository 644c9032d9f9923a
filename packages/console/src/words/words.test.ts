import { expect, it } from 'vitest'
import { formatAge } from './format-age.ts'
import { formatBytes } from './format-bytes.ts'
import { formatCount, formatCounted, formatShare, formatSigned } from './format-count.ts'
import { quoteShell } from './quote-shell.ts'

it('numbers have separators, a sign where it matters, and the right noun', () => {
  expect(formatCount(119_762)).toBe('119,762')
  expect([formatCounted(1, 'message'), formatCounted(2, 'message')]).toEqual(['1 message', '2 messages'])
  expect([formatShare(1, 3), formatShare(0, 0)]).toEqual(['33.3%', '0%'])
  expect([formatSigned(2), formatSigned(-0.25), formatSigned(0)]).toEqual(['+2', '−0.3', '0'])
})

it.each([
  [0, '0 s'],
  [59_400, '59 s'],
  [60_000, '1 min'],
  [7_199_000, '1 h'],
  [6 * 86_400_000, '6 d'],
])('%i ms are %s', (ms, age) => {
  expect(formatAge(ms)).toBe(age)
})

it.each([
  [0, '0 B'],
  [14, '14 B'],
  [1536, '1.5 KiB'],
  [2 * 1024 ** 2, '2.0 MiB'],
])('%i bytes are %s', (bytes, size) => {
  expect(formatBytes(bytes)).toBe(size)
})

it.each([
  ['billing.orders.dlq', 'billing.orders.dlq'],
  ['cause:Timeout and not key:a', "'cause:Timeout and not key:a'"],
  ["it's $(rm -rf /)", "'it'\\''s $(rm -rf /)'"],
])('a shell takes %s as one word', (word, quoted) => {
  expect(quoteShell(word)).toBe(quoted)
})
