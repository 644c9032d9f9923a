import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { Schemas } from '../api/api.ts'
import { snapshotKey, snapshotQueries } from './snapshot-queries.ts'

/** The causes of a queue, where a page before has looked at it: words for a filter are not worth a look. */
export function useKnownCauses(queue: string): readonly Schemas['SnapshotCause'][] | undefined {
  const snapshot = useQueryClient().getQueryData<Schemas['Snapshot']>(snapshotKey(queue))
  const { data } = useQuery({
    ...snapshotQueries.causes({
      snapshot: snapshot ?? { queue, id: '', state: 'running' },
      where: undefined,
    }),
    enabled: snapshot?.state === 'done',
  })
  return data?.causes
}
