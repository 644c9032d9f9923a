import { infiniteQueryOptions, queryOptions, skipToken } from '@tanstack/react-query'
import { api, type KnownSession, type Schemas, sessionKey } from './api.ts'
import { ApiProblem, dataOf, problemOf } from './api-problem.ts'
import { approvalsKey, type Connection, connectionKey, dlqsKey, notesKey, tasksKey } from './follow-lists.ts'

/** What the pages ask of the server. The lists that the stream of events brings are never asked for. */
export const queries = {
  /** Null: nobody is logged in. */
  session: () =>
    queryOptions({
      queryKey: sessionKey,
      staleTime: Number.POSITIVE_INFINITY,
      refetchOnWindowFocus: true,
      queryFn: async ({ client }): Promise<KnownSession | null> => {
        const { data, error, response } = await api.GET('/api/v1/session')
        if (response.status === 401) return endedSession(client.getQueryData<KnownSession | null>(sessionKey))
        if (!data) throw problemOf(error, response)
        return data
      },
    }),
  loginWays: () =>
    queryOptions({
      queryKey: ['login-ways'],
      queryFn: async () => dataOf(await api.GET('/api/v1/session/ways')),
    }),
  connection: () => queryOptions<Connection>({ queryKey: connectionKey, queryFn: skipToken }),
  dlqs: () => queryOptions<readonly Schemas['Dlq'][]>({ queryKey: dlqsKey, queryFn: skipToken }),
  tasks: () => queryOptions<readonly Schemas['Task'][]>({ queryKey: tasksKey, queryFn: skipToken }),
  approvals: () =>
    queryOptions<readonly Schemas['Approval'][]>({ queryKey: approvalsKey, queryFn: skipToken }),
  notes: () => queryOptions<readonly Schemas['Note'][]>({ queryKey: notesKey, queryFn: skipToken }),
  broker: () =>
    queryOptions({
      queryKey: ['broker'],
      // A broker that is away is worth telling at once, and its return, too.
      retry: false,
      refetchInterval: ({ state: { status } }: { readonly state: { readonly status: string } }) =>
        status === 'error' ? 3_000 : 10_000,
      queryFn: async () => dataOf(await api.GET('/api/v1/broker')),
    }),
  /** The dead letters of a vhost of this server, by the address that its API is below. */
  totalOfVhost: (address: string) =>
    queryOptions({
      queryKey: ['total-of-vhost', address],
      refetchInterval: 15_000,
      retry: false,
      queryFn: async ({ signal }) => {
        const { items } = dataOf(await api.GET('/api/v1/dlqs', { baseUrl: address, signal }))
        return items.reduce((sum, { total, messages }) => sum + (total ?? messages ?? 0), 0)
      },
    }),
  history: () =>
    queryOptions({
      queryKey: ['history'],
      refetchInterval: 15_000,
      queryFn: async () =>
        dataOf(await api.GET('/api/v1/history', { params: { query: { seconds: 3_600, points: 40 } } })),
    }),
  traffic: () =>
    queryOptions({
      queryKey: ['traffic'],
      refetchInterval: 15_000,
      queryFn: async () => dataOf(await api.GET('/api/v1/queues')),
    }),
  redrivePlan: (request: Schemas['RedriveRequest']) =>
    queryOptions({
      queryKey: ['redrive-plan', request],
      staleTime: 0,
      gcTime: 0,
      refetchOnWindowFocus: false,
      retry: false,
      queryFn: async ({ signal }) =>
        dataOf(await api.POST('/api/v1/redrives/plan', { body: request, signal })),
    }),
  receipt: (id: string) =>
    queryOptions({
      queryKey: ['receipt', id],
      staleTime: Number.POSITIVE_INFINITY,
      queryFn: async () => dataOf(await api.GET('/api/v1/tasks/{id}/receipt', { params: { path: { id } } })),
    }),
  backups: () =>
    queryOptions({
      queryKey: ['backups'],
      queryFn: async () => dataOf(await api.GET('/api/v1/backups')),
    }),
  audit: (by: { readonly target?: string; readonly person?: string }) =>
    infiniteQueryOptions({
      queryKey: ['audit', by],
      refetchOnWindowFocus: false,
      initialPageParam: undefined as string | undefined,
      queryFn: async ({ pageParam: cursor }) => {
        const query = {
          limit: 100,
          ...(cursor && { cursor }),
          ...(by.target && { target: by.target }),
          ...(by.person && { by: by.person }),
        }
        return dataOf(await api.GET('/api/v1/audit', { params: { query } }))
      },
      getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    }),
  webhooks: () =>
    queryOptions({
      queryKey: ['webhooks'],
      refetchInterval: 5_000,
      queryFn: async () => dataOf(await api.GET('/api/v1/webhooks')),
    }),
  liveTopology: () =>
    queryOptions({
      queryKey: ['topology', 'live'],
      refetchInterval: 15_000,
      queryFn: async () => dataOf(await api.GET('/api/v1/topology/live')),
    }),
  /** Null: the server has no config. */
  topologyProblems: () =>
    queryOptions({
      queryKey: ['topology', 'problems'],
      queryFn: async () => orNull(await api.GET('/api/v1/topology/problems')),
    }),
  topologyPlan: () =>
    queryOptions({
      queryKey: ['topology', 'plan'],
      queryFn: async () => orNull(await api.GET('/api/v1/topology/plan')),
    }),
  declaredTopology: () =>
    queryOptions({
      queryKey: ['topology', 'declared'],
      queryFn: async () => orNull(await api.GET('/api/v1/topology')),
    }),
}

function endedSession(before: KnownSession | null | undefined): KnownSession | null {
  return before ? { ...before, hasEnded: true } : null
}

function orNull<Data>(answer: {
  readonly data?: Data
  readonly error?: unknown
  readonly response: Response
}): Data | null {
  if (answer.response.status === 404) return null
  return dataOf(answer) as Data
}

export function isGone(error: unknown): boolean {
  return error instanceof ApiProblem && error.status === 404
}
