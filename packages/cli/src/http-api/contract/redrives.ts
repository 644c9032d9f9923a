import Type from 'typebox'
import { approval } from './approvals.ts'
import { dlq, messageParams, queueParams } from './dlqs.ts'
import type { EndpointList } from './endpoint.ts'
import { exampleOf } from './example-of.ts'
import { exampleId } from './lists.ts'
import { receipt } from './receipt.ts'
import { messageRedriveRequest, planRequest, startRequest } from './requests.ts'
import {
  closed,
  count,
  flag,
  list,
  named,
  object,
  oneOf,
  orNull,
  type SchemaValue,
  text,
  time,
} from './schema.ts'
import { task } from './tasks.ts'

export type { RedriveRequest } from 'warrenmq/operations'
export type { StartRequest } from './requests.ts'

const plannedTarget = named('PlannedTarget', 'Where some of the messages would go.', {
  target: text('The exchange and key, or the queue.', 'billing.orders'),
  count: count('Messages that would go there.', 40),
  why: text('Why they would go there.', 'the queue they failed in'),
  queues: list(text('The name of a queue.', 'billing.orders'), 'The queues that they would reach.'),
  secondFailure: orNull(
    text(
      'What happens to a message that fails again. Null: unknown.',
      'retried, then back to billing.orders.dlq',
    ),
  ),
  keyChanges: count(
    'How many of these were first published with another key; the header x-original-routing-key keeps it.',
    1,
  ),
  keysBefore: list(text('A routing key.', 'order.placed'), 'The first four of these keys.'),
})

export const redrivePlan = named('RedrivePlan', 'What a re-drive would do.', {
  queue: dlq,
  present: count('Messages in the queue.', 42),
  moving: count('Messages that would move.', 40),
  seen: count(
    'Messages that were looked at; fewer than present if others took some, or the look took too long.',
    42,
  ),
  isWhole: flag(
    'Every message was looked at. False: the counts cover only those seen, and more may move.',
    true,
  ),
  targets: list(plannedTarget, 'Where the messages would go.'),
  keeping: list(
    object('Messages that would stay.', {
      reason: text('Why they would stay.', 'origin-unknown'),
      count: count('How many.', 2),
    }),
    'Messages that would stay in the queue.',
  ),
  refusals: list(
    text('A target and what is wrong with it.', 'There is no queue "old".'),
    'Targets that cannot be used.',
  ),
  missing: count('How many of the messages chosen by key are no longer in the queue.', 0),
  sinceSnapshot: orNull(
    object(
      'How the selection differs from the named snapshot. Null: no snapshot was named, its search is not complete, or more than 250,000 messages are selected.',
      {
        asOf: time('The snapshot shows the queue as it was then.'),
        gone: count('Messages that were selected in the snapshot and are not selected now.', 1),
        come: count('Messages that are selected now and were not in the snapshot.', 3),
      },
    ),
  ),
  needsApproval: flag('This plan moves so many messages that a second person must approve it first.', false),
  digest: text(
    'Identifies the plan: the same request with the same plan has the same digest in the console, on the command line and in the library. Send it as planDigest to start exactly this plan.',
    '0'.repeat(64),
  ),
})
export type RedrivePlan = SchemaValue<typeof redrivePlan>

export const verifyRequest = named(
  'VerifyRequest',
  'A receipt to check again.',
  {
    receipt: Type.Record(Type.String(), Type.Unknown(), {
      description: 'The receipt, as a task, the command line or a program gave it.',
      examples: [exampleOf(receipt)],
    }),
    includesTargets: Type.Optional(
      flag('Also search the queues where messages went; their consumers wait meanwhile. For admins.', false),
    ),
  },
  closed,
)
const verdict = oneOf(
  ['holds', 'broken', 'unknown'],
  'Unknown: nothing contradicts it, but not everything could be checked.',
)
const verification = named('Verification', 'The result of checking a receipt.', {
  id: text('The id of the re-drive.', exampleId),
  queue: dlq,
  verdict,
  checks: list(
    object('One check.', {
      name: oneOf(['sums', 'balance', 'left', 'moved', 'digest'], 'What was checked.'),
      verdict,
      detail: text('What was found, in a sentence.', '40 moved + 0 failed + 2 kept + 0 still there = 42.'),
    }),
    'The checks behind the verdict.',
  ),
})
export type Verification = SchemaValue<typeof verification>

const base = { method: 'POST', tag: 'redrives', needs: 'dlq:redrive', asksBroker: true, looks: true } as const
export const redriveEndpoints = {
  planRedrive: {
    ...base,
    path: '/api/v1/redrives/plan',
    summary: 'Plan a re-drive',
    description: 'Says what a re-drive would do. It reads every message and moves none.',
    body: planRequest,
    answer: redrivePlan,
    problems: ['API_SNAPSHOT_ELSEWHERE', 'API_TASK_NOT_ENDED', 'API_TASK_ENDED', 'BACKUP_INVALID'],
  },
  startRedrive: {
    ...base,
    path: '/api/v1/redrives',
    status: 202,
    summary: 'Start a re-drive',
    description:
      'The answer is the task, or the approval it waits for; kind says which. With planDigest, the server looks at the queue again first.',
    body: startRequest,
    answer: task,
    waiting: approval,
    locates: 'The task, or the approval.',
    problems: [
      'API_PLAN_CHANGED',
      'API_NOTHING_TO_MOVE',
      'API_APPROVAL_NEEDED',
      'RECOVERY_EDIT_TOO_LARGE',
      'TASKS_UNAVAILABLE',
    ],
  },
  editMessage: {
    ...base,
    path: '/api/v1/dlqs/:queue/messages/:key/redrive',
    status: 202,
    summary: 'Put one message back, changed if you like',
    description:
      'A header of the new message keeps the original. Without a request body, the message goes back unchanged.',
    params: messageParams,
    body: messageRedriveRequest,
    answer: task,
    locates: 'The task.',
    mayLackBody: true,
    problems: ['API_APPROVAL_NEEDED', 'RECOVERY_EDIT_TOO_LARGE', 'TASKS_UNAVAILABLE'],
  },
  verifyReceipt: {
    ...base,
    path: '/api/v1/dlqs/:queue/verify',
    summary: 'Check a receipt again',
    description: 'By itself, and against what RabbitMQ still holds of the messages it names.',
    params: queueParams,
    body: verifyRequest,
    answer: verification,
  },
} satisfies EndpointList
