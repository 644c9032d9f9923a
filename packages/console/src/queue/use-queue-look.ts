import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { Schemas } from '../api/api.ts'
import { type Look, queries } from '../api/queries.ts'

/** What is known of the messages of a queue, and how to know more. The only place that knows where it comes from. */
export interface QueueLook {
  readonly causes: Schemas['CauseList'] | undefined
  /** How many match; undefined until all were looked at. */
  readonly matching: number | undefined
  readonly present: number | undefined
  readonly isWhole: boolean
  readonly messages: readonly Schemas['MessageSummary'][] | undefined
  readonly error: Error | null
  readonly isLooking: boolean
  /** When the newest of it was read. */
  readonly asOf: number
  readonly hasMore: boolean
  readonly loadMore: () => void
  readonly lookAgain: () => void
}

/** Causes are counted over the whole queue; those of the cards never change with the filter. */
export function useQueueLook({ queue, where }: Look): QueueLook {
  const client = useQueryClient()
  const all = useQuery(queries.causes({ queue }))
  const matching = useQuery({ ...queries.causes({ queue, where }), enabled: where !== undefined })
  const pages = useInfiniteQuery(queries.messages({ queue, where }))
  const counted = where === undefined ? all.data : matching.data
  const messages = useMemo(() => pages.data?.pages.flatMap(({ items }) => items), [pages.data])
  return {
    causes: all.data,
    matching: counted?.causes.reduce((sum, { count }) => sum + count, 0),
    present: counted?.present,
    isWhole: counted?.isWhole ?? true,
    messages,
    error: pages.error ?? matching.error ?? all.error,
    isLooking: all.isFetching || matching.isFetching || pages.isFetching,
    asOf: Math.max(all.dataUpdatedAt, pages.dataUpdatedAt),
    hasMore: pages.hasNextPage,
    loadMore: () => {
      if (pages.hasNextPage && !pages.isFetching) void pages.fetchNextPage()
    },
    lookAgain: () => void client.invalidateQueries({ queryKey: ['look', queue] }),
  }
}
