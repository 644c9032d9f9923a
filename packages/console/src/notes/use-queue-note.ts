import { useMutation, useQuery } from '@tanstack/react-query'
import { api, type Schemas } from '../api/api.ts'
import { dataOf, done } from '../api/api-problem.ts'
import { queries } from '../api/queries.ts'
import { useTakeNote } from './use-take-note.ts'

type Note = Schemas['Note']

/** The note on a queue; undefined: there is none. */
export function useQueueNote(queue: string): Note | undefined {
  const { data } = useQuery(queries.notes())
  return data?.find(({ about, queue: of }) => about === 'queue' && of === queue)
}

export function useWriteNote(queue: string) {
  const take = useTakeNote()
  return useMutation({
    /** An empty one takes the note away. */
    mutationFn: async (text: string): Promise<Note | undefined> => {
      const params = { path: { queue } }
      if (text === '') {
        done(await api.DELETE('/api/v1/dlqs/{queue}/note', { params }))
        return undefined
      }
      return dataOf(await api.POST('/api/v1/dlqs/{queue}/note', { params, body: { text } }))
    },
    onSuccess: (note) => take(`queue ${queue}`, note),
  })
}
