import Type from 'typebox'
import { dlq } from './dlqs.ts'
import type { EndpointList } from './endpoint.ts'
import { idOf, ofQueue, pageSchema, wholeList } from './lists.ts'
import { ofFiles } from './problem-codes.ts'
import { applyRequest, discardRequest, startRequest } from './requests.ts'
import {
  flag,
  integer,
  listInQuery,
  named,
  object,
  oneOf,
  orNull,
  parameters,
  type SchemaValue,
  tellAs,
  text,
  time,
} from './schema.ts'

const { id, params } = idOf('approval')

const asksTold = Type.Union(
  [
    object('A re-drive. Its task then has the id of the approval.', {
      action: oneOf(['redrive'], 'The requested action.'),
      request: startRequest,
    }),
    object('A discard.', {
      action: oneOf(['discard'], 'The requested action.'),
      queue: dlq,
      request: discardRequest,
    }),
    object('A change of the topology.', {
      action: oneOf(['apply'], 'The requested action.'),
      request: applyRequest,
    }),
  ],
  { title: 'ApprovalAsks', description: 'The request that is carried out once it is granted.' },
)
export type ApprovalAsks = SchemaValue<typeof asksTold>
// What it asks for was checked by the schema of its own endpoint, and is given back as it came.
const asks = tellAs(
  Type.Object({
    action: Type.Unsafe<ApprovalAsks['action']>({ type: 'string', enum: ['redrive', 'discard', 'apply'] }),
    queue: Type.Optional(Type.String()),
    request: Type.Object({}, { additionalProperties: true }),
  }),
  asksTold,
)

const state = oneOf(['waiting', 'granted', 'refused', 'expired'], 'Its state.', {
  examples: ['granted'],
})
const approvalFields = {
  kind: oneOf(['approval'], 'Distinguishes it from a task, and from an immediate result.'),
  id,
  asks,
  messages: orNull(integer('The maximum number of messages it can affect. Null: it affects none.', 42)),
  by: text('Who asked.', 'ann'),
  reason: orNull(text('Why, in their words.', 'The payment gateway is back.')),
  askedAt: time('When it was requested.'),
  expiresAt: time('When it expires; it can be granted until then.', '2030-01-31T19:00:00.000Z'),
  state,
  decidedBy: orNull(text('Who granted or refused it. Null: nobody yet.', 'bob')),
  decidedAt: orNull(time('When they did. Null: nobody has yet.', '2030-01-31T18:05:00.000Z')),
}
/** As it stands in the stream; who reads it says whether it is signed. */
export const storedApproval: Type.TObject = Type.Object(approvalFields)
export const approval = named(
  'Approval',
  'A request that needs, or needed, the approval of a second person.',
  {
    ...approvalFields,
    isSigned: flag(
      'It was written by a server with the same key. False: Warren cannot tell who asked, and it cannot be granted.',
      true,
    ),
  },
)
export type Approval = SchemaValue<typeof approval>
const approvalList = pageSchema('ApprovalList', { of: approval, plural: 'approvals' })
export type ApprovalList = SchemaValue<typeof approvalList>

const approvalQuery = parameters({
  state: Type.Optional(listInQuery(state, 'Only approvals in one of these states.')),
  action: Type.Optional(
    listInQuery(
      oneOf(['redrive', 'discard', 'apply'], 'The requested action.'),
      'Only approvals of one of these actions.',
    ),
  ),
  ...ofQueue,
  ...wholeList,
})

const path = '/api/v1/approvals/:id'
const reading = { method: 'GET', tag: 'approvals', needs: 'dlq:read' } as const
const deciding = { method: 'POST', tag: 'approvals', needs: 'dlq:redrive' } as const
const one = { params, answer: approval } as const
export const approvalEndpoints = {
  listApprovals: {
    ...reading,
    path: '/api/v1/approvals',
    query: approvalQuery,
    answer: approvalList,
    summary: 'List the approvals',
    description: 'What waits for a second person, and recent decisions, newest first.',
  },
  showApproval: {
    ...reading,
    ...one,
    path,
    summary: 'Show one approval',
    description: 'With the request it is for.',
    problems: ['API_NOT_FOUND'],
  },
  grantApproval: {
    ...deciding,
    ...one,
    path: `${path}/grant`,
    status: 202,
    asksBroker: true,
    looks: true,
    summary: 'Grant an approval as the second person',
    description: 'Starts the requested action. The caller also needs the permission for that action.',
    locates: 'The task, if a re-drive is granted.',
    problems: [
      'API_NOT_FOUND',
      'API_APPROVAL_NEEDED',
      'API_APPROVAL_DECIDED',
      'API_APPROVAL_UNPROVED',
      'API_PLAN_CHANGED',
      'API_NOTHING_TO_MOVE',
      'API_NO_BACKUP_FOLDER',
      ...ofFiles,
      'NOTICES_UNAVAILABLE',
      'TASKS_UNAVAILABLE',
    ],
  },
  refuseApproval: {
    ...deciding,
    ...one,
    path: `${path}/refuse`,
    summary: 'Refuse an approval',
    description: 'As the second person, or to withdraw your own request.',
    problems: ['API_NOT_FOUND', 'API_APPROVAL_DECIDED', 'API_APPROVAL_UNPROVED', 'NOTICES_UNAVAILABLE'],
  },
} satisfies EndpointList
