import Type from 'typebox'
import { dlq } from './dlqs.ts'
import type { EndpointList } from './endpoint.ts'
import { exampleId, ofQueue, pageSchema, snapshotIdPattern, wholeList } from './lists.ts'
import { problem } from './problem.ts'
import { receipt } from './receipt.ts'
import {
  as,
  count,
  flag,
  listInQuery,
  named,
  object,
  oneOf,
  orNull,
  parameters,
  type SchemaValue,
  text,
  time,
} from './schema.ts'

const taskId = text('Identifies the task. For a snapshot, it is the id of the snapshot.', exampleId)
const taskParams = parameters({
  id: {
    ...as(taskId, 'The id of the task: a UUID, or the id of a snapshot.'),
    pattern: `^[0-9a-f-]{36}$|${snapshotIdPattern}`,
  },
})

/** In the order of a task's life. */
export const taskStates = [
  'running',
  'paused',
  'cancelling',
  'done',
  'cancelled',
  'stopped',
  'failed',
  'interrupted',
] as const
const taskState = oneOf(
  taskStates,
  'The state of the task. interrupted: its server ended before the task did; any server may resume it, unless problem says why not.',
  { title: 'TaskState', examples: ['done'] },
)
export type TaskState = SchemaValue<typeof taskState>

const taskFields = {
  id: taskId,
  kind: oneOf(
    ['redrive', 'snapshot'],
    'What the task does. A snapshot leaves every message in the queue, and counts all that it has seen as kept. Only the server that makes it lists it.',
  ),
  state: taskState,
  queue: dlq,
  by: text('Who started it.', 'ann'),
  reason: orNull(text('Why, in their words.', 'The payment gateway is back.')),
  host: text('The host whose server is working on it, or was the last to.', 'warren-1'),
  startedAt: time('When it began.'),
  endedAt: orNull(time('When it ended. Null: it has not.', '2030-01-31T18:00:07.000Z')),
  progress: object(
    'What happened to the messages so far, counted over all servers that worked on the task.',
    {
      present: count('Messages in the queue at the start.', 42),
      moved: count('Messages at their target and out of the queue.', 40),
      failed: count('Messages that their target did not accept; still in the queue.', 0),
      kept: count('Messages that were looked at and left in the queue.', 2),
    },
  ),
  movedBefore: count(
    'How many of the moved messages were moved by servers that ended before the task did. The receipt covers the others.',
    0,
  ),
  problem: as(
    { ...orNull(problem), examples: [null] },
    'Why it failed, or why it cannot be resumed. Null: nothing is wrong.',
  ),
}
/** As it stands in the stream; who reads it says whether it is signed. */
export const storedTask: Type.TObject = Type.Object({
  ...taskFields,
  kind: oneOf(['redrive'], 'A snapshot ends with its server, and is in no stream.'),
})
export const task = named('Task', 'Work that a server does in the background.', {
  ...taskFields,
  limit: orNull(
    count(
      'The most messages that it moves, over all servers; of a plan, as many as it says. Null: no limit, or a snapshot, which moves none.',
      40,
    ),
  ),
  isSigned: flag(
    'It was written by a server with the same key. False: anybody may have written it. It blocks no queue and cannot be resumed.',
    true,
  ),
})
export type Task = SchemaValue<typeof task>

const taskList = pageSchema('TaskList', { of: task, plural: 'tasks' })
export type TaskList = SchemaValue<typeof taskList>
const taskQuery = parameters({
  state: Type.Optional(listInQuery(taskState, 'Only tasks in one of these states.')),
  kind: Type.Optional(listInQuery(taskFields.kind, 'Only tasks of one of these kinds.')),
  ...ofQueue,
  ...wholeList,
})

const path = '/api/v1/tasks/:id'
const reading = { method: 'GET', tag: 'tasks', needs: 'dlq:read' } as const
const steering = {
  method: 'POST',
  tag: 'tasks',
  needs: 'dlq:redrive',
  params: taskParams,
  answer: task,
} as const
const steps = ['API_TASK_ENDED', 'API_TASK_UNPROVED', 'TASKS_UNAVAILABLE'] as const
export const taskEndpoints = {
  listTasks: {
    ...reading,
    path: '/api/v1/tasks',
    query: taskQuery,
    answer: taskList,
    summary: 'List the tasks of all servers',
    description:
      'Newest first. from and to apply to the start of a task. Only the server that keeps a snapshot lists it, until it expires.',
  },
  showTask: {
    ...reading,
    path,
    params: taskParams,
    answer: task,
    summary: 'Show one task',
    description: 'With its state and its counts.',
    problems: ['API_NOT_FOUND', 'API_SNAPSHOT_ELSEWHERE'],
  },
  pauseTask: {
    ...steering,
    path: `${path}/pause`,
    summary: 'Pause a task',
    description: 'It starts no more messages and finishes those in flight. A snapshot cannot be paused.',
    problems: ['API_NOT_FOUND', ...steps, 'API_SNAPSHOT_ELSEWHERE'],
  },
  resumeTask: {
    ...steering,
    path: `${path}/resume`,
    asksBroker: true,
    looks: true,
    summary: 'Resume a task',
    description: 'Continues a paused task, or one whose server has ended.',
    problems: [
      'API_NOT_FOUND',
      ...steps,
      'API_APPROVAL_NEEDED',
      'API_EDIT_INTERRUPTED',
      'API_SNAPSHOT_ELSEWHERE',
    ],
  },
  cancelTask: {
    ...steering,
    path: `${path}/cancel`,
    status: 202,
    summary: 'Cancel a task',
    description:
      'Finishes the messages in flight and leaves the rest where they are. What a snapshot holds goes back to the queue.',
    problems: ['API_NOT_FOUND', ...steps, 'API_SNAPSHOT_ELSEWHERE'],
  },
  watchTask: {
    ...reading,
    path: `${path}/events`,
    params: taskParams,
    summary: 'Follow a task',
    description:
      'Server-sent events named task, whose data is the whole task; the last one comes when it has ended. Send the id of the last event as last-event-id to continue after it.',
    mediaType: 'text/event-stream',
    example: 'id: 7\nevent: task\ndata: {"id":"…","state":"running"}\n\n',
    whenEnded: 'The task has ended, and last-event-id names the event that said so.',
    problems: ['API_NOT_FOUND', 'API_SNAPSHOT_ELSEWHERE'],
  },
  showReceipt: {
    ...reading,
    path: `${path}/receipt`,
    params: taskParams,
    answer: receipt,
    summary: 'Show the receipt of a task',
    description: 'Says what happened to every message that was in the queue.',
    problems: ['API_NOT_FOUND', 'API_TASK_NOT_ENDED', 'API_SNAPSHOT_ELSEWHERE'],
  },
} satisfies EndpointList
