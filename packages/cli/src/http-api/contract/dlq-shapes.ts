import Type from 'typebox'
import type * as Contract from './contract.ts'
import {
  closed,
  count,
  countOrNull,
  filter,
  oneOf,
  reason,
  type Shape,
  shape,
  text,
  textOrNull,
  uuid,
} from './shape.ts'

export const filterQuery: Shape<Contract.FilterQuery> = shape<Contract.FilterQuery>()(
  Type.Object({ where: Type.Optional(filter) }, closed),
)

const keptBackup = Type.Object({
  ...{ id: text, purpose: oneOf(['backup', 'discard']), queue: text, vhost: text, by: text },
  ...{ startedAt: text, sizeBytes: count },
})
export const discarded: Shape<Contract.Discarded> = shape<Contract.Discarded>()(
  Type.Object({
    ...{ kind: oneOf(['discarded']), queue: text, present: count, removed: count, left: count },
    ...{ isDone: Type.Boolean(), backup: keptBackup },
  }),
)
export const backupParams: Shape<Contract.BackupParams> = shape<Contract.BackupParams>()(
  Type.Object({ id: uuid }, closed),
)
export const deleteBackupQuery: Shape<Contract.DeleteBackupQuery> = shape<Contract.DeleteBackupQuery>()(
  Type.Object({ force: Type.Optional(Type.Boolean()), reason: Type.Optional(reason) }, closed),
)
export const backupList: Shape<Contract.BackupList> = shape<Contract.BackupList>()(
  Type.Object({ items: Type.Array(keptBackup), nextCursor: textOrNull }),
)

export const restored: Shape<Contract.Restored> = shape<Contract.Restored>()(
  Type.Object({
    ...{ queue: text, records: count, restored: count },
    ...{ restoredBefore: count, alreadyThere: count, notRemoved: count },
    ...{ duplicatesPossible: count, failed: count },
  }),
)

export const historyQuery: Shape<Contract.HistoryQuery> = shape<Contract.HistoryQuery>()(
  Type.Object(
    {
      seconds: Type.Integer({ minimum: 1, maximum: 31 * 86_400, default: 3_600 }),
      points: Type.Integer({ minimum: 2, maximum: 2_000, default: 120 }),
    },
    closed,
  ),
)
const depthHistorySchema = Type.Object({
  queue: text,
  points: Type.Array(
    Type.Object({ at: text, messages: count, perSecond: Type.Union([Type.Number(), Type.Null()]) }),
  ),
})
export const depthHistory: Shape<Contract.DepthHistory> = shape<Contract.DepthHistory>()(depthHistorySchema)
export const historyList: Shape<Contract.HistoryList> = shape<Contract.HistoryList>()(
  Type.Object({ everySeconds: Type.Number(), items: Type.Array(depthHistorySchema) }),
)

const numberOrNull = Type.Union([Type.Number(), Type.Null()])
export const queueTrafficList: Shape<Contract.QueueTrafficList> = shape<Contract.QueueTrafficList>()(
  Type.Object({
    ...{ vhost: text, at: text },
    items: Type.Array(
      Type.Object({
        ...{ queue: text, type: textOrNull, isDlq: Type.Boolean() },
        ...{ ready: countOrNull, unacknowledged: countOrNull, consumers: countOrNull },
        ...{ inPerSecond: numberOrNull, outPerSecond: numberOrNull, acknowledgedPerSecond: numberOrNull },
      }),
    ),
  }),
)

// What it asks for was checked by the schema of its own endpoint, and is given back as it came.
const asks = Type.Unsafe<Contract.ApprovalAsks>({
  type: 'object',
  properties: {
    action: { type: 'string', enum: ['redrive', 'discard', 'apply'] },
    queue: { type: 'string' },
    request: { type: 'object', additionalProperties: true },
  },
  required: ['action', 'request'],
})
const approvalFields = {
  ...{ kind: oneOf(['approval']), id: text, asks, messages: countOrNull, by: text, reason: textOrNull },
  ...{ askedAt: text, expiresAt: text, state: oneOf(['waiting', 'granted', 'refused', 'expired']) },
  ...{ decidedBy: textOrNull, decidedAt: textOrNull },
}
/** As it stands in the stream; who reads it says whether it is signed. */
export const storedApproval: Type.TObject = Type.Object(approvalFields)
const approvalSchema = Type.Object({ ...approvalFields, isSigned: Type.Boolean() })
export const approval: Shape<Contract.Approval> = approvalSchema
export const approvalParams: Shape<Contract.ApprovalParams> = shape<Contract.ApprovalParams>()(
  Type.Object({ id: uuid }, closed),
)
export const approvalList: Shape<Contract.ApprovalList> = Type.Object({
  items: Type.Array(approvalSchema),
  nextCursor: textOrNull,
})
