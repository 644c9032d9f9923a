/** How long a browser waits before it comes back. */
export const retryMs = 2_000

/** The beginning of every stream. */
export const streamHead: string = `retry: ${retryMs}\n\n`

/** Keeps a connection open on which nothing happens. */
export const stillThere = ': still there\n\n'

/** One server-sent event. What it holds has no line break. */
export function renderEvent({
  id,
  name,
  data,
}: {
  /** Given back by who reconnects. */
  readonly id: string
  readonly name: string
  readonly data: string
}): string {
  return `id: ${id}\nevent: ${name}\ndata: ${data}\n\n`
}

/** Where somebody is in each of the lists that they follow, as an event has it for its id. */
export function renderPlaces(places: ReadonlyMap<string, string>): string {
  return [...places].map(([topic, digest]) => `${topic}:${digest}`).join(',')
}

/** What somebody says who comes back. What cannot be read is no place. */
export function readPlaces(id: string | undefined): ReadonlyMap<string, string> {
  const parts = (id ?? '').split(',').map((part) => part.split(':'))
  return new Map(
    parts.flatMap(([topic, digest, ...more]): [string, string][] =>
      topic && digest && more.length === 0 ? [[topic, digest]] : [],
    ),
  )
}
