import { useMutation, useQuery } from '@tanstack/react-query'
import { api, type Schemas } from '../api/api.ts'
import { dataOf } from '../api/api-problem.ts'
import { queries } from '../api/queries.ts'
import { useTakeNote } from './use-take-note.ts'

type Note = Schemas['Note']

/** Who has acknowledged a task; undefined: nobody has. */
export function useAcknowledgement(task: string): Note | undefined {
  const { data } = useQuery(queries.notes())
  return data?.find(({ task: of }) => of === task)
}

export function useAcknowledge(task: string) {
  const take = useTakeNote()
  return useMutation({
    mutationFn: async () =>
      dataOf(
        await api.POST('/api/v1/tasks/{id}/acknowledgement', { params: { path: { id: task } }, body: {} }),
      ),
    onSuccess: (note) => take(`task ${task}`, note),
  })
}
