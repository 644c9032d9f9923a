import type { Schemas } from './api.ts'
import { proofOfWho, sessionKey } from './api.ts'
import { applyListChange, type ListChange } from './apply-list-change.ts'
import { queryClient } from './query-client.ts'
import { readEventStream, type ServerEvent } from './read-event-stream.ts'
import { serverAddress } from './server-address.ts'

export type Connection = 'opening' | 'live' | 'lost'

export const connectionKey = ['connection'] as const
export const dlqsKey = ['dlqs'] as const
export const tasksKey = ['tasks'] as const
export const approvalsKey = ['approvals'] as const
export const notesKey = ['notes'] as const

/** How long to wait before the server is asked again that did not answer. */
const pauseMs = 2_000

/** Keeps the lists that every page shows as they are on the server, until told to stop. Comes back by itself. */
export async function followLists(signal: AbortSignal): Promise<void> {
  let lastId: string | undefined
  while (!signal.aborted) {
    try {
      for await (const event of await openStream(lastId, signal)) {
        lastId = event.id
        takeEvent(event)
      }
    } catch {
      // Whatever it was, it is told by the state of the connection, and tried again.
    }
    if (signal.aborted) return
    tellConnection('lost')
    await pause(signal)
  }
}

async function openStream(
  lastId: string | undefined,
  signal: AbortSignal,
): Promise<AsyncGenerator<ServerEvent>> {
  const headers = { ...proofOfWho(), ...(lastId && { 'last-event-id': lastId }) }
  const { ok, status, body } = await fetch(`${serverAddress}/api/v1/events`, { headers, signal })
  if (status === 401) await queryClient.invalidateQueries({ queryKey: sessionKey })
  if (!ok || !body) throw new Error(`The answer was ${status}.`)
  const wasLost = queryClient.getQueryData<Connection>(connectionKey) === 'lost'
  tellConnection('live')
  // What was asked for meanwhile has failed, or is old.
  if (wasLost)
    void queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'connection' })
  return readEventStream(body)
}

function takeEvent({ name, data }: ServerEvent): void {
  if (name === 'dlqs') takeChange<Schemas['Dlq']>(dlqsKey, data, ({ queue }) => queue)
  if (name === 'tasks') takeChange<Schemas['Task']>(tasksKey, data, ({ id }) => id)
  if (name === 'notes') takeChange<Schemas['Note']>(notesKey, data, ({ id }) => id)
  if (name === 'approvals') takeChange<Schemas['Approval']>(approvalsKey, data, ({ id }) => id)
}

function takeChange<Item>(key: readonly string[], data: string, nameOf: (item: Item) => string): void {
  const change = JSON.parse(data) as ListChange<Item>
  queryClient.setQueryData<readonly Item[]>(key, (list = []) => applyListChange(list, change, nameOf))
}

function tellConnection(connection: Connection): void {
  queryClient.setQueryData<Connection>(connectionKey, connection)
}

function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, pauseMs)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
