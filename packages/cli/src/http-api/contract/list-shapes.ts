import Type from 'typebox'
import type * as Contract from './contract.ts'
import { closed, listOf, oneOf, queueName, type Shape, shape } from './shape.ts'
import { cursor, taskStates } from './shapes.ts'

/** When something began. */
const time = Type.String({
  pattern: '^\\d{4}-\\d\\d-\\d\\d(T\\d\\d:\\d\\d(:\\d\\d(\\.\\d{1,9})?)?(Z|[+-]\\d\\d:\\d\\d))?$',
  description: 'A date such as 2030-01-31, or a time with its zone such as 2030-01-31T18:00:00Z',
})
const period = { from: Type.Optional(time), to: Type.Optional(time) }

/** Of lists that are kept as a whole. Who does not page gets all that there is. */
const wholeList = {
  ...period,
  limit: Type.Integer({ minimum: 1, maximum: 1000, default: 1000 }),
  cursor: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z0-9_-]{1,512}$',
      description: 'The nextCursor of the page before; leave it out for the first page',
    }),
  ),
}

const name = Type.String({ minLength: 1, maxLength: 255 })
const ofQueue = { queue: Type.Optional(queueName), by: Type.Optional(name) }

export const taskQuery: Shape<Contract.TaskQuery> = shape<Contract.TaskQuery>()(
  Type.Object(
    {
      state: Type.Optional(listOf(oneOf(taskStates))),
      kind: Type.Optional(listOf(oneOf(['redrive']))),
      ...ofQueue,
      ...wholeList,
    },
    closed,
  ),
)

export const approvalQuery: Shape<Contract.ApprovalQuery> = shape<Contract.ApprovalQuery>()(
  Type.Object(
    {
      state: Type.Optional(listOf(oneOf(['waiting', 'granted', 'refused', 'expired']))),
      action: Type.Optional(listOf(oneOf(['redrive', 'discard', 'apply']))),
      ...ofQueue,
      ...wholeList,
    },
    closed,
  ),
)

export const backupQuery: Shape<Contract.BackupQuery> = shape<Contract.BackupQuery>()(
  Type.Object(
    { purpose: Type.Optional(listOf(oneOf(['backup', 'discard']))), ...ofQueue, ...wholeList },
    closed,
  ),
)

export const auditQuery: Shape<Contract.AuditQuery> = shape<Contract.AuditQuery>()(
  Type.Object(
    {
      action: Type.Optional(listOf(name)),
      ...{
        target: Type.Optional(Type.String({ minLength: 1, maxLength: 1024 })),
        by: Type.Optional(name),
        ...period,
      },
      ...{ limit: Type.Integer({ minimum: 1, maximum: 1000, default: 100 }), cursor: Type.Optional(cursor) },
    },
    closed,
  ),
)

export const eventsQuery: Shape<Contract.EventsQuery> = shape<Contract.EventsQuery>()(
  Type.Object(
    { topics: Type.Optional(listOf(oneOf(['tasks', 'approvals', 'dlqs', 'queues', 'backups']))) },
    closed,
  ),
)
