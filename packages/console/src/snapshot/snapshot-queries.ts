import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, type Schemas } from '../api/api.ts'
import { dataOf } from '../api/api-problem.ts'
import type { SortOrder } from '../queue/queue-search.ts'
import { shareSnapshot } from './share-snapshot.ts'

type Snapshot = Schemas['Snapshot']

const fastMs = 500
const slowMs = 5_000
/** Bars of the chart over time. */
const bars = 72

export const snapshotKey = (queue: string) => ['snapshot', queue] as const

/** Which messages of a snapshot. */
export interface Selection {
  readonly snapshot: Pick<Snapshot, 'queue' | 'id' | 'state'>
  readonly where: string | undefined
}

interface Searched {
  readonly search: { readonly isWhole: boolean }
}

/** What is read of snapshots: it does not change, but while one grows, and while a search goes on. */
export const snapshotQueries = {
  snapshot: (queue: string) =>
    queryOptions({
      queryKey: snapshotKey(queue),
      refetchOnWindowFocus: false,
      queryFn: ({ client, signal }) =>
        shareSnapshot(queue, client.getQueryData<Snapshot>(snapshotKey(queue)), signal),
      refetchInterval: ({ state: { data } }) => (data?.state === 'running' ? fastMs : slowMs),
    }),
  causes: ({ snapshot, where }: Selection) =>
    queryOptions({
      queryKey: keyOf({ snapshot, where }, 'causes'),
      ...still(snapshot),
      queryFn: async ({ signal }) =>
        dataOf(
          await api.GET('/api/v1/dlqs/{queue}/snapshots/{id}/causes', {
            params: { path: pathOf(snapshot), query: queryOf(where) },
            signal,
          }),
        ),
    }),
  facets: ({ snapshot, where }: Selection) =>
    queryOptions({
      queryKey: keyOf({ snapshot, where }, 'facets'),
      ...still(snapshot),
      queryFn: async ({ signal }) =>
        dataOf(
          await api.GET('/api/v1/dlqs/{queue}/snapshots/{id}/facets', {
            params: { path: pathOf(snapshot), query: queryOf(where) },
            signal,
          }),
        ),
    }),
  histogram: ({ snapshot, where }: Selection) =>
    queryOptions({
      queryKey: keyOf({ snapshot, where }, 'histogram'),
      ...still(snapshot),
      queryFn: async ({ signal }) =>
        dataOf(
          await api.GET('/api/v1/dlqs/{queue}/snapshots/{id}/histogram', {
            params: { path: pathOf(snapshot), query: { ...queryOf(where), bars } },
            signal,
          }),
        ),
    }),
  messages: ({ snapshot, where, sort }: Selection & { readonly sort: SortOrder }) =>
    infiniteQueryOptions({
      queryKey: [...keyOf({ snapshot, where }, 'messages'), sort],
      staleTime: Number.POSITIVE_INFINITY,
      initialPageParam: undefined as string | undefined,
      queryFn: async ({ pageParam: cursor, signal }) =>
        dataOf(
          await api.GET('/api/v1/dlqs/{queue}/snapshots/{id}/messages', {
            params: {
              path: pathOf(snapshot),
              query: { ...queryOf(where), sort, limit: 100, ...(cursor && { cursor }) },
            },
            signal,
          }),
        ),
      refetchInterval: ({ state: { data } }) =>
        data?.pages.at(-1)?.search.isWhole === false ? fastMs : false,
      getNextPageParam: ({ nextCursor, items }) =>
        items.length === 0 ? undefined : (nextCursor ?? undefined),
    }),
  message: ({ snapshot, key }: Pick<Selection, 'snapshot'> & { readonly key: string }) =>
    queryOptions({
      queryKey: ['snapshot', snapshot.queue, snapshot.id, 'message', key],
      staleTime: Number.POSITIVE_INFINITY,
      queryFn: async ({ signal }) =>
        dataOf(
          await api.GET('/api/v1/dlqs/{queue}/snapshots/{id}/messages/{key}', {
            params: { path: { ...pathOf(snapshot), key } },
            signal,
          }),
        ),
    }),
}

/** What was read while it grew is not what it holds in the end. */
function keyOf({ snapshot: { queue, id, state }, where }: Selection, what: string) {
  return ['snapshot', queue, id, state, what, where ?? ''] as const
}

function pathOf({ queue, id }: Selection['snapshot']): { readonly queue: string; readonly id: string } {
  return { queue, id }
}

function queryOf(where: string | undefined): { readonly where?: string } {
  return where === undefined ? {} : { where }
}

/** What was shown stands until the next is there: numbers change, and the page does not jump. */
function still({ state }: Pick<Snapshot, 'state'>) {
  return {
    staleTime: state === 'running' ? 0 : Number.POSITIVE_INFINITY,
    refetchInterval: ({ state: { data } }: { readonly state: { readonly data: Searched | undefined } }) =>
      state === 'running' || data?.search.isWhole === false ? fastMs : (false as const),
    placeholderData: keepPreviousData,
  }
}
