import type { Caller } from '../auth/caller.ts'
import { mayReadQueue } from '../auth/may-read-queue.ts'
import type { Note } from '../contract/contract.ts'
import type { HeardNotice } from '../notices/notice.ts'
import type { NoticeBoard } from '../notices/notice-board.ts'
import { type KnownNotes, takeNoteNotice } from './known-notes.ts'

/** What people wrote about queues and receipts, the same on all servers. */
export class Notes {
  readonly #tell: NoticeBoard['tell']
  #known: KnownNotes = new Map()
  #changes = 0

  constructor(tell: NoticeBoard['tell']) {
    this.#tell = tell
  }

  /** One of the servers told something. */
  heard(record: HeardNotice): void {
    const known = takeNoteNotice(this.#known, record)
    if (known !== this.#known) this.#changes += 1
    this.#known = known
  }

  /** Is another one as soon as the list is. */
  get edition(): string {
    return String(this.#changes)
  }

  /** Those on queues that a caller may read, the newest first. */
  visibleTo(caller: Caller): readonly Note[] {
    return [...this.#known.values()].filter(({ queue }) => mayReadQueue(caller, queue)).reverse()
  }

  /** Resolves when all servers can find it, with the note that counts. */
  async write(note: Omit<Note, 'id' | 'at'>): Promise<Note> {
    const id = `${note.about} ${note.task ?? note.queue}`
    const written = { ...note, id, at: new Date().toISOString() }
    await this.#tell({ kind: 'note-written', note: written })
    return this.#known.get(id) ?? written
  }

  async remove(queue: string): Promise<void> {
    if (this.#known.has(`queue ${queue}`)) await this.#tell({ kind: 'note-removed', queue })
  }
}
