import { InvalidArgumentError } from '../../errors.ts'

export type Query = Readonly<Record<string, string | number | boolean | undefined>>

/** `['queues', '/', 'a b']` gives `/api/queues/%2F/a%20b`. Nothing that a name holds can change the path. */
export function encodePath(segments: readonly string[], query: Query = {}): string {
  const path = ['/api', ...segments.map(encodeSegment)].join('/')
  const parameters = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [`${encodeURIComponent(name)}=${encodeURIComponent(value)}`],
  )
  return parameters.length === 0 ? path : `${path}?${parameters.join('&')}`
}

/** The default exchange has an empty name, which cannot stand in a path; the API calls it this. */
export function exchangeSegment(name: string): string {
  return name === '' ? 'amq.default' : name
}

function encodeSegment(segment: string): string {
  // An empty segment would address the list instead of the thing: fatal in a DELETE.
  if (segment === '')
    throw new InvalidArgumentError('A name must not be empty in a call of the management API.')
  if (/\p{Surrogate}/u.test(segment)) {
    throw new InvalidArgumentError(`The name ${JSON.stringify(segment)} is not valid Unicode.`)
  }
  // Servers and proxies resolve . and .. as directories.
  if (/^\.{1,2}$/.test(segment)) return segment.replaceAll('.', '%2E')
  return encodeURIComponent(segment)
}
