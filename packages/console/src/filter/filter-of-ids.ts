import { quoteFilterValue } from './quote-filter-value.ts'

/** RabbitMQ may be asked for any number of ids, but an address and a request have an end. */
const mostCharacters = 2_048

/**
 * The filter for the messages with these ids; undefined where it cannot be written: one has no id, or one with a star,
 * which would stand for any others, or they are too many.
 */
export function filterOfIds(ids: readonly (string | null)[]): string | undefined {
  if (ids.length === 0 || ids.some((id) => id === null || id.includes('*'))) return undefined
  const filter = ids.map((id) => `id=${quoteFilterValue(id!)}`).join(' or ')
  return filter.length <= mostCharacters ? filter : undefined
}
