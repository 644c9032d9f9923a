import type { Sum } from './sum-up.ts'

/** `1,000 = 837 delivered + 113 in payments.dlq + 50 in shipping.dlq`. */
export function renderSum({ confirmed, delivered, held }: Omit<Sum, 'addsUp'>): string {
  const parts = [
    `${renderCount(delivered)} delivered`,
    ...held.map(({ queue, messages }) => `${renderCount(messages)} in ${queue}`),
  ]
  return `${renderCount(confirmed)} = ${parts.join(' + ')}`
}

/** What the sum says, and what is left to a person. */
export function renderVerdict({ sum, addsUp }: { sum: Sum; addsUp: boolean }): readonly string[] {
  const { duplicates, held } = sum
  if (duplicates > 0) return [`${renderCount(duplicates)} were delivered twice.`]
  if (!addsUp) return ['It does not add up.']
  return [
    'It does: nothing was lost, and nothing was delivered twice.',
    ...held.map(({ queue, messages }) => {
      return `No retry fixes the ${renderCount(messages)} in ${queue}. A person looks at them (\`warren dlq peek\`) and decides.`
    }),
  ]
}

/** With a comma every three digits. */
export function renderCount(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',')
}
