import type { Task } from '../contract/contract.ts'

/**
 * What a task has done whose server is gone. The server told its counts every now and then; what it moved after
 * that is missing in the queue. Messages that came in meanwhile hide as many that left, so this is the least that
 * was moved, and exact where none came in.
 * @param depth ready messages once all that the server held are back; undefined where the queue is gone
 */
export function countInterrupted(progress: Task['progress'], depth: number | undefined): Task['progress'] {
  if (depth === undefined) return progress
  return { ...progress, moved: Math.max(progress.moved, progress.present - depth) }
}

/** Where a message is that was to be edited. */
export type EditedMessage = 'there' | 'gone' | 'unknown'

/** The same for an edit, which is about one message whatever else comes and goes. */
export function countInterruptedEdit(progress: Task['progress'], edited: EditedMessage): Task['progress'] {
  return edited === 'unknown' ? progress : { ...progress, moved: edited === 'gone' ? 1 : 0 }
}

/** What became of an edit, and what to do. It is done or it is not, so there is nothing to go on with. */
export function explainInterruptedEdit(queue: string, edited: EditedMessage): string {
  const again = 'Edit it again; if it was already sent and only its removal is missing, it arrives twice.'
  switch (edited) {
    case 'there':
      return `The server ended before it put the message back: it is in "${queue}", unchanged. ${again}`
    case 'gone':
      return `The message is no longer in "${queue}": it was put back, but the server ended before it could write a receipt. Check that it is where it was sent.`
    case 'unknown':
      return `The server ended, and it could not be checked whether the message is still in "${queue}". Look for it there. ${again}`
  }
}
