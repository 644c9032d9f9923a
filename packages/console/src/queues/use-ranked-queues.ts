import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { queries } from '../api/queries.ts'
import { type RankedQueue, rankQueues } from './ranked-queue.ts'

/** Undefined until the list has come. What is known of the past and of consumers joins it when it comes. */
export function useRankedQueues(): readonly RankedQueue[] | undefined {
  const { data: dlqs } = useQuery(queries.dlqs())
  const { data: history } = useQuery(queries.history())
  const { data: traffic } = useQuery(queries.traffic())
  return useMemo(
    () => dlqs && rankQueues({ dlqs, history: history?.items ?? [], traffic: traffic?.items ?? [] }),
    [dlqs, history, traffic],
  )
}
