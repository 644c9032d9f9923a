import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { Schemas } from '../api/api.ts'
import { withoutField } from '../filter/split-terms.ts'
import { snapshotQueries } from '../snapshot/snapshot-queries.ts'
import { type HeldSnapshot, useSnapshot } from '../snapshot/use-snapshot.ts'
import { type QueueSearch, usualSort } from './queue-search.ts'

/** What is known of the messages of a queue, and how to know more: reads of one snapshot. */
export interface QueueLook extends HeldSnapshot {
  /** Counted as if no cause were chosen, so that another can be. */
  readonly causes: Schemas['SnapshotCauses'] | undefined
  readonly facets: Schemas['SnapshotFacets'] | undefined
  /** Counted as if no time were chosen. */
  readonly histogram: Schemas['SnapshotHistogram'] | undefined
  /** How many match; undefined until that is known. */
  readonly matched: number | undefined
  /** How many of them were searched, where that takes its time; undefined: all. */
  readonly searched: number | undefined
  readonly messages: readonly Schemas['SnapshotMessage'][] | undefined
  readonly hasMore: boolean
  readonly loadMore: () => void
}

export function useQueueLook(queue: string, { where, sort = usualSort }: QueueSearch): QueueLook {
  const held = useSnapshot(queue)
  const { snapshot } = held
  const isReadable = snapshot?.state === 'running' || snapshot?.state === 'done'
  const of = { snapshot: snapshot ?? nowhere, where }
  const causes = useQuery({
    ...snapshotQueries.causes({ ...of, where: withoutField(where, 'cause') }),
    enabled: isReadable,
  })
  const facets = useQuery({ ...snapshotQueries.facets(of), enabled: isReadable })
  const histogram = useQuery({
    ...snapshotQueries.histogram({ ...of, where: withoutField(where, 'died') }),
    enabled: isReadable,
  })
  const pages = useInfiniteQuery({
    ...snapshotQueries.messages({ ...of, sort }),
    enabled: snapshot?.state === 'done',
  })
  const messages = useMemo(() => pages.data?.pages.flatMap(({ items }) => items), [pages.data])
  const counted = facets.isPlaceholderData ? undefined : facets.data
  return {
    ...held,
    error: held.error ?? pages.error ?? facets.error ?? causes.error ?? histogram.error,
    causes: causes.data,
    facets: facets.data,
    histogram: histogram.data,
    matched: snapshot?.state === 'done' ? counted?.matched : undefined,
    searched: counted && !counted.search.isWhole ? counted.search.seen : undefined,
    messages,
    hasMore: pages.hasNextPage,
    loadMore: () => {
      if (pages.hasNextPage && !pages.isFetching) void pages.fetchNextPage()
    },
  }
}

/** Nothing is asked of it. */
const nowhere = { queue: '', id: '', state: 'running' } as const
