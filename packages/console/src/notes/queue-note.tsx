import { type ReactNode, useState } from 'react'
import { useForbidden } from '../app/use-session.ts'
import { Button } from '../parts/button.tsx'
import { ProblemNotice } from '../parts/notice.tsx'
import { AgeText } from '../parts/time-text.tsx'
import { useQueueNote, useWriteNote } from './use-queue-note.ts'

/** What somebody wrote about a queue for everybody, and the way to write it. */
export function QueueNote({ queue }: { readonly queue: string }): ReactNode {
  const note = useQueueNote(queue)
  const forbidden = useForbidden('dlq:redrive')
  const [isWriting, setIsWriting] = useState(false)
  if (isWriting) return <NoteForm queue={queue} text={note?.text ?? ''} onDone={() => setIsWriting(false)} />
  return (
    <p className="mt-1 flex flex-wrap items-baseline gap-x-3">
      {note && (
        <span className="foreign rounded bg-warn-soft px-1.5 text-ink">
          “<bdi>{note.text}</bdi>”{' '}
          <span className="text-quiet">
            {note.by}, <AgeText at={note.at} />
          </span>
        </span>
      )}
      {forbidden === undefined && (
        <button type="button" className="text-accent hover:underline" onClick={() => setIsWriting(true)}>
          {note ? 'Change the note' : 'Add a note'}
        </button>
      )}
    </p>
  )
}

function NoteForm({
  queue,
  text,
  onDone,
}: {
  readonly queue: string
  readonly text: string
  readonly onDone: () => void
}): ReactNode {
  const write = useWriteNote(queue)
  const send = (words: string): void => {
    if (!write.isPending) write.mutate(words, { onSuccess: onDone })
  }
  return (
    <form
      className="mt-1 flex max-w-xl flex-wrap items-center gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        send(String(new FormData(event.currentTarget).get('note')).trim())
      }}
    >
      <input
        // biome-ignore lint/a11y/noAutofocus: the form was opened to write into it.
        autoFocus
        name="note"
        aria-label="Note"
        placeholder="Who is on it, and what is known. Everybody who sees the queue reads it."
        maxLength={500}
        defaultValue={text}
        className="h-8 min-w-48 flex-1 rounded-md border border-edge bg-panel px-2.5 text-ink placeholder:text-faint"
      />
      <Button isSubmit offBecause={write.isPending ? 'It is being saved.' : undefined}>
        Save
      </Button>
      {text !== '' && <Button onClick={() => send('')}>Remove</Button>}
      <Button onClick={onDone}>Cancel</Button>
      {write.error && <ProblemNotice error={write.error} />}
    </form>
  )
}
