import { setTimeout as wait } from 'node:timers/promises'
import { onTestFinished } from 'vitest'

/** A server-sent event as a browser tells it to a page. */
export interface SentEvent {
  readonly id: string
  readonly name: string
  readonly data: unknown
}

type Headers = Readonly<Record<string, string>>

/** One connection: what it is told until it is left or ended. */
export interface EventConnection {
  readonly answer: Response
  readonly events: readonly SentEvent[]
  /** How long it is told to wait before it comes back. */
  readonly retryMs: () => number | undefined
  readonly ended: Promise<void>
  leave(): void
}

/** Opens a stream of events, and reads it until it is left; a test that ends leaves it. */
export async function readEvents(
  url: string,
  headers: Headers,
  onEvent: (event: SentEvent) => void = () => {},
): Promise<EventConnection> {
  const leave = new AbortController()
  onTestFinished(() => leave.abort())
  const answer = await fetch(url, { headers, signal: leave.signal })
  const events: SentEvent[] = []
  let retryMs: number | undefined
  const ended = (async () => {
    let rest = ''
    for await (const piece of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const blocks = (rest + piece).split('\n\n')
      rest = blocks.pop() ?? ''
      for (const block of blocks) {
        const fields = fieldsOf(block)
        if (fields.retry !== undefined) retryMs = Number(fields.retry)
        if (fields.data === undefined) continue
        const event = {
          id: fields.id ?? '',
          name: fields.event ?? '',
          data: JSON.parse(fields.data) as unknown,
        }
        events.push(event)
        onEvent(event)
      }
    }
  })()
  ended.catch(() => {}) // a test that fails before it waits for it ends it
  return { answer, events, retryMs: () => retryMs, ended, leave: () => leave.abort() }
}

function fieldsOf(block: string): Readonly<Record<string, string | undefined>> {
  const lines = block.split('\n').filter((line) => !line.startsWith(':'))
  return Object.fromEntries(lines.map((line) => [line.split(': ')[0], line.slice(line.indexOf(': ') + 2)]))
}

/** What a browser does with a stream: it comes back after every end of it, unless it is answered with anything but 200. */
export interface Browser {
  readonly events: readonly SentEvent[]
  /** The status of each answer. */
  readonly statuses: readonly number[]
  /** It has given up. */
  readonly closed: Promise<void>
}

/**
 * As the HTML standard has it for `EventSource`, which Node 20 has not.
 * @param address asked each time, as if a balancer stood before several servers
 */
export function openEventSource(address: () => string, headers: Headers): Browser {
  const events: SentEvent[] = []
  const statuses: number[] = []
  const gone = new AbortController()
  onTestFinished(() => gone.abort())
  const closed = (async () => {
    let lastId = ''
    let retryMs = 3_000
    while (!gone.signal.aborted) {
      const come = { ...headers, ...(lastId !== '' && { 'last-event-id': lastId }) }
      const connection = await readEvents(address(), come, (event) => {
        lastId = event.id
        events.push(event)
      }).catch(() => undefined)
      if (connection) {
        statuses.push(connection.answer.status)
        if (connection.answer.status !== 200) return
        await connection.ended.catch(() => {})
        retryMs = connection.retryMs() ?? retryMs
      }
      await wait(retryMs, undefined, { signal: gone.signal }).catch(() => {})
    }
  })()
  closed.catch(() => {})
  return { events, statuses, closed }
}
