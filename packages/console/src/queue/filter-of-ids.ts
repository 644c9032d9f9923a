/** A value as the filter's grammar takes it: in quotation marks, unless it is one plain word. */
export function quoteFilterValue(value: string): string {
  return /^[\w.-]+$/.test(value) ? value : `"${value.replaceAll(/[\\"]/g, '\\$&')}"`
}

/** The filter with one more condition; without it, where it is the whole filter already. */
export function toggleTerm(where: string | undefined, term: string): string | undefined {
  if (where === undefined || where === '') return term
  return where === term ? undefined : term
}

/** RabbitMQ may be asked for any number of ids, but an address and a request have an end. */
const mostCharacters = 2_048

/** The filter for exactly these messages; undefined where it cannot be written: one has no id, or they are too many. */
export function filterOfIds(ids: readonly (string | null)[]): string | undefined {
  if (ids.length === 0 || ids.includes(null)) return undefined
  const filter = ids.map((id) => `id=${quoteFilterValue(id!)}`).join(' or ')
  return filter.length <= mostCharacters ? filter : undefined
}
