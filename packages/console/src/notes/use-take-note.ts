import { useQueryClient } from '@tanstack/react-query'
import type { Schemas } from '../api/api.ts'
import { notesKey } from '../api/follow-lists.ts'

type Note = Schemas['Note']

/** Shows it before the stream of changes tells of it. */
export function useTakeNote(): (id: string, note: Note | undefined) => void {
  const client = useQueryClient()
  return (id, note) =>
    client.setQueryData<readonly Note[]>(notesKey, (notes = []) => [
      ...(note ? [note] : []),
      ...notes.filter((each) => each.id !== id),
    ])
}
