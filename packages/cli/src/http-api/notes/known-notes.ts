import type { Note } from '../contract/contract.ts'
import type { HeardNotice } from '../notices/notice.ts'

/** By their ids, the oldest first. */
export type KnownNotes = ReadonlyMap<string, Note>

/** The longest list; the oldest goes when there is one more. */
const mostNotes = 1_000

/**
 * What is known after one more notice. The last note on a queue counts, and the first acknowledgement of a task. What
 * anybody may have written is no note of a person.
 */
export function takeNoteNotice(known: KnownNotes, { notice, isSigned }: HeardNotice): KnownNotes {
  if (!isSigned) return known
  if (notice.kind === 'note-removed') return without(known, `queue ${notice.queue}`)
  if (notice.kind !== 'note-written') return known
  const { note } = notice
  if (note.about === 'task' && known.has(note.id)) return known
  const kept = [...without(known, note.id)]
  return new Map([...kept.slice(Math.max(0, kept.length + 1 - mostNotes)), [note.id, note]])
}

function without(known: KnownNotes, id: string): KnownNotes {
  return known.has(id) ? new Map([...known].filter(([each]) => each !== id)) : known
}
