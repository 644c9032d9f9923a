import Type from 'typebox'
import { dlq, queueParams } from './dlqs.ts'
import type { EndpointList } from './endpoint.ts'
import { exampleId, uuidPattern } from './lists.ts'
import { as, closed, list, named, oneOf, orNull, parameters, type SchemaValue, text, time } from './schema.ts'

/** What people tell each other: a note on a queue, and that somebody has read a receipt. */

const words = { minLength: 1, maxLength: 500 }

const task = text('The id of the task.', exampleId)
const note = named(
  'Note',
  'What somebody wrote about a queue, or that they have read the receipt of a task.',
  {
    id: text('Names it: `queue` or `task`, a space, and the name or the id.', `task ${exampleId}`),
    about: oneOf(['queue', 'task'], 'A note on a queue, or an acknowledged task.'),
    queue: dlq,
    task: orNull(as(task, 'The id of the task. Null: it is a note on a queue.')),
    text: text(
      'In their words. Empty: they acknowledged the task without a word.',
      'Ann is on it: expired cards.',
    ),
    by: text('Who wrote it.', 'ann'),
    at: time('When.'),
  },
)
export type Note = SchemaValue<typeof note>

const noteList = named('NoteList', 'The notes that people wrote.', {
  items: list(note, 'Those on queues that the caller may read, the newest first.'),
})
export type NoteList = SchemaValue<typeof noteList>

const noteRequest = named(
  'NoteRequest',
  'A note on a queue.',
  { text: text('The note.', 'Ann is on it: expired cards.', words) },
  closed,
)
const acknowledgeRequest = named(
  'AcknowledgeRequest',
  'What there is to say about a receipt.',
  {
    text: Type.Optional(text('A remark. Default: none.', 'All orders are paid now.', words)),
  },
  closed,
)

const base = { tag: 'notes', asksBroker: true } as const
const writing = { ...base, needs: 'dlq:redrive' } as const
export const noteEndpoints = {
  listNotes: {
    method: 'GET',
    path: '/api/v1/notes',
    ...base,
    needs: 'dlq:read',
    summary: 'List what people wrote about queues and receipts',
    description: 'Notes are kept for a month, for all servers with the same WARREN_SERVER_KEY.',
    answer: noteList,
  },
  writeNote: {
    method: 'POST',
    path: '/api/v1/dlqs/:queue/note',
    ...writing,
    summary: 'Write a note on a queue',
    description: 'Everybody who sees the queue reads it. It replaces the note that is there.',
    params: queueParams,
    body: noteRequest,
    answer: note,
  },
  removeNote: {
    method: 'DELETE',
    path: '/api/v1/dlqs/:queue/note',
    ...writing,
    summary: 'Remove the note on a queue',
    description: 'Succeeds even if there is none.',
    params: queueParams,
  },
  acknowledgeTask: {
    method: 'POST',
    path: '/api/v1/tasks/:id/acknowledgement',
    ...writing,
    summary: 'Acknowledge the receipt of a task',
    description:
      'Says that you have read what became of the messages. The first acknowledgement stays; a second request is answered with the first.',
    params: parameters({ id: { ...as(task, 'The id of the task, a UUID.'), pattern: uuidPattern } }),
    body: acknowledgeRequest,
    mayLackBody: true,
    answer: note,
    problems: ['API_NOT_FOUND', 'API_TASK_NOT_ENDED'],
  },
} satisfies EndpointList
