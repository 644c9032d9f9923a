import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Schemas } from '../api/api.ts'
import { makeSnapshot } from './share-snapshot.ts'
import { snapshotKey, snapshotQueries } from './snapshot-queries.ts'

export interface HeldSnapshot {
  readonly snapshot: Schemas['Snapshot'] | undefined
  readonly error: Error | null
  readonly isLooking: boolean
  readonly lookAgain: () => void
}

/** The copy of a queue that its pages read, which one look has made. It stands until the reader looks again. */
export function useSnapshot(queue: string): HeldSnapshot {
  const client = useQueryClient()
  const { data, error } = useQuery(snapshotQueries.snapshot(queue))
  const again = useMutation({
    mutationFn: () => makeSnapshot(queue),
    onSuccess: (made) => client.setQueryData(snapshotKey(queue), made),
  })
  const lookAgain = (): void => {
    // What has gone wrong with the one before is no longer of interest.
    if (error) void client.invalidateQueries({ queryKey: snapshotKey(queue) })
    if (!again.isPending) again.mutate()
  }
  return {
    snapshot: data,
    error: again.error ?? error,
    isLooking: again.isPending || data?.state === 'running' || (data === undefined && error === null),
    lookAgain,
  }
}
