import Type from 'typebox'
import type * as Contract from './contract.ts'
import {
  closed,
  count,
  countOrNull,
  filter,
  oneOf,
  queueName,
  type Shape,
  shape,
  text,
  textOrNull,
} from './shape.ts'

const permissionNames = oneOf([
  'dlq:read',
  'payload:read',
  'dlq:redrive',
  'dlq:backup',
  'dlq:discard',
  'dlq:restore',
  'dlq:admin',
  'topology:read',
  'topology:apply',
  'audit:read',
])

const problemSchema = Type.Object({
  type: text,
  title: text,
  status: Type.Integer(),
  detail: text,
  code: text,
})
export const problem: Shape<Contract.Problem> = shape<Contract.Problem>()(problemSchema)

export const credentials: Shape<Contract.Credentials> = shape<Contract.Credentials>()(
  Type.Object(
    { username: Type.String({ minLength: 1, maxLength: 255 }), password: Type.String({ maxLength: 1024 }) },
    closed,
  ),
)

/** Of who asks. */
export const callerFields: {
  readonly name: typeof text
  readonly role: Type.TUnsafe<Contract.Role>
  readonly wayIn: Type.TUnsafe<Contract.WayIn>
  readonly vhost: typeof text
  readonly permissions: Type.TArray<Type.TUnsafe<Contract.Permission>>
} = {
  name: text,
  role: oneOf(['viewer', 'operator', 'admin']),
  wayIn: oneOf(['nobody-asked', 'broker-account', 'token', 'oidc']),
  vhost: text,
  permissions: Type.Array(permissionNames),
}
export const myPermissions: Shape<Contract.MyPermissions> = shape<Contract.MyPermissions>()(
  Type.Object(callerFields),
)
export const openedSession: Shape<Contract.OpenedSession> = shape<Contract.OpenedSession>()(
  Type.Object({ ...callerFields, csrfToken: text, expiresAt: text }),
)

export const brokerState: Shape<Contract.BrokerState> = shape<Contract.BrokerState>()(
  Type.Object({
    product: text,
    version: text,
    vhost: text,
    isConnected: Type.Boolean(),
    isHealthy: Type.Boolean(),
    alarms: Type.Array(Type.Object({ node: text, resource: text })),
    warren: text,
  }),
)

export const queueParams: Shape<Contract.QueueParams> = shape<Contract.QueueParams>()(
  Type.Object({ queue: queueName }, closed),
)

export const dlqList: Shape<Contract.DlqList> = shape<Contract.DlqList>()(
  Type.Object({
    vhost: text,
    items: Type.Array(
      Type.Object({
        queue: text,
        type: textOrNull,
        messages: countOrNull,
        consumers: countOrNull,
        sources: Type.Array(text),
        knownBy: oneOf(['topology', 'dead-lettering', 'name']),
      }),
    ),
  }),
)

const cause = { id: text, label: text, kind: oneOf(['error', 'death', 'unknown']) }
export const causeList: Shape<Contract.CauseList> = shape<Contract.CauseList>()(
  Type.Object({
    queue: text,
    present: count,
    seen: count,
    isWhole: Type.Boolean(),
    causes: Type.Array(
      Type.Object({
        ...{ ...cause, count, first: textOrNull, last: textOrNull, sample: textOrNull },
        by: Type.Array(Type.Object({ field: text, value: textOrNull })),
        splits: Type.Array(
          Type.Object({ field: text, values: Type.Array(Type.Object({ value: textOrNull, count })) }),
        ),
      }),
    ),
  }),
)
export const causesQuery: Shape<Contract.CausesQuery> = shape<Contract.CausesQuery>()(
  Type.Object({ groupBy: Type.Optional(filter), where: Type.Optional(filter) }, closed),
)

/** Says where a page begins; see who makes it. */
export const cursor: Type.TString = Type.String({
  pattern: '^[0-9a-z]{1,12}$',
  description: 'The nextCursor of the page before; leave it out for the first page',
})

export const messageQuery: Shape<Contract.MessageQuery> = shape<Contract.MessageQuery>()(
  Type.Object(
    {
      where: Type.Optional(filter),
      limit: Type.Integer({ minimum: 1, maximum: 500, default: 50 }),
      cursor: Type.Optional(cursor),
    },
    closed,
  ),
)

const messageSummary = {
  key: text,
  id: textOrNull,
  type: textOrNull,
  exchange: text,
  routingKey: text,
  failedIn: textOrNull,
  cause: Type.Object(cause),
  diedAt: textOrNull,
  attempts: countOrNull,
  bodyBytes: count,
}
export const messagePage: Shape<Contract.MessagePage> = shape<Contract.MessagePage>()(
  Type.Object({
    queue: text,
    present: count,
    isWhole: Type.Boolean(),
    items: Type.Array(Type.Object(messageSummary)),
    nextCursor: textOrNull,
  }),
)

export const messageParams: Shape<Contract.MessageParams> = shape<Contract.MessageParams>()(
  Type.Object({ queue: queueName, key: Type.String({ pattern: '^[0-9a-f]{32}$' }) }, closed),
)

const messageProperties = Type.Object({
  ...{ contentType: textOrNull, contentEncoding: textOrNull, deliveryMode: countOrNull },
  ...{ priority: countOrNull, correlationId: textOrNull, replyTo: textOrNull, expiration: textOrNull },
  ...{ messageId: textOrNull, timestamp: textOrNull, type: textOrNull },
  ...{ userId: textOrNull, appId: textOrNull, clusterId: textOrNull },
})
const encoding = oneOf(['utf8', 'base64'])
const messageBody = Type.Union([
  Type.Object({ encoding, text, isCut: Type.Boolean(), isMasked: Type.Boolean() }),
  Type.Null(),
])
export const messageDetail: Shape<Contract.MessageDetail> = shape<Contract.MessageDetail>()(
  Type.Object({
    ...messageSummary,
    properties: messageProperties,
    headers: Type.Array(Type.Object({ name: text, type: text, value: Type.Unknown() })),
    deaths: Type.Array(
      Type.Object({
        queue: text,
        reason: text,
        count,
        firstAt: textOrNull,
        exchange: textOrNull,
        routingKeys: Type.Array(text),
      }),
    ),
    body: messageBody,
    bodyHidden: Type.Union([oneOf(['from-your-role', 'cannot-be-masked']), Type.Null()]),
    decoded: messageBody,
  }),
)

export const redrivePlan: Shape<Contract.RedrivePlan> = shape<Contract.RedrivePlan>()(
  Type.Object({
    queue: text,
    present: count,
    moving: count,
    seen: count,
    isWhole: Type.Boolean(),
    targets: Type.Array(
      Type.Object({
        ...{ target: text, count, why: text, queues: Type.Array(text), secondFailure: textOrNull },
        ...{ keyChanges: count, keysBefore: Type.Array(text) },
      }),
    ),
    keeping: Type.Array(Type.Object({ reason: text, count })),
    refusals: Type.Array(text),
  }),
)

export const taskParams: Shape<Contract.TaskParams> = shape<Contract.TaskParams>()(
  Type.Object({ id: Type.String({ pattern: '^[0-9a-f-]{36}$' }) }, closed),
)

/** In the order of a task's life. */
export const taskStates: readonly Contract.TaskState[] = [
  'running',
  'paused',
  'cancelling',
  'done',
  'cancelled',
  'stopped',
  'failed',
  'interrupted',
]

const taskFields = {
  id: text,
  kind: oneOf(['redrive']),
  state: oneOf(taskStates),
  queue: text,
  by: text,
  reason: textOrNull,
  host: text,
  startedAt: text,
  endedAt: textOrNull,
  progress: Type.Object({ present: count, moved: count, failed: count, kept: count }),
  movedBefore: count,
  problem: Type.Union([problemSchema, Type.Null()]),
}
/** As it stands in the stream; who reads it says whether it is signed. */
export const storedTask: Type.TObject = Type.Object(taskFields)
const taskSchema = Type.Object({ ...taskFields, isSigned: Type.Boolean() })
export const task: Shape<Contract.Task> = shape<Contract.Task>()(taskSchema)
export const taskList: Shape<Contract.TaskList> = shape<Contract.TaskList>()(
  Type.Object({ items: Type.Array(taskSchema), nextCursor: textOrNull }),
)

// Written by recovery/ and passed on but for its digest, with whatever that version of it says.
export const receipt: Shape<Contract.Receipt> = Type.Object(
  { format: text, id: text, queue: text, moved: count, isBalanced: Type.Boolean(), digest: textOrNull },
  { additionalProperties: true },
)

export const auditPage: Shape<Contract.AuditPage> = shape<Contract.AuditPage>()(
  Type.Object({
    items: Type.Array(
      Type.Object({
        ...{ at: text, by: text, wayIn: text, from: text, action: text, target: text, reason: textOrNull },
        ...{ result: text, receiptDigest: textOrNull, writer: text, number: count },
        ...{ previous: text, after: textOrNull, afterOffset: countOrNull, hash: text },
        isSigned: Type.Boolean(),
      }),
    ),
    unreadable: count,
    nextCursor: textOrNull,
  }),
)

export const startPage: Shape<Contract.StartPage> = shape<Contract.StartPage>()(
  Type.Object({
    ...{ name: text, description: text },
    links: Type.Object({
      ...{ documentation: text, openapi: text, logIn: text, permissions: text },
      ...{ deadLetterQueues: text, metrics: text, alive: text, ready: text },
    }),
  }),
)

export const adminQueues: Shape<Contract.AdminQueues> = shape<Contract.AdminQueues>()(
  Type.Object({ queues: Type.Array(Type.Object({ queue: text, messages: countOrNull })) }),
)
export const adminMessagesQuery: Shape<Contract.AdminMessagesQuery> = shape<Contract.AdminMessagesQuery>()(
  Type.Object({ limit: Type.Integer({ minimum: 1, maximum: 500, default: 20 }) }, closed),
)
export const adminMessages: Shape<Contract.AdminMessages> = shape<Contract.AdminMessages>()(
  Type.Object({
    queue: text,
    messages: Type.Array(
      Type.Object({
        ...{ messageId: textOrNull, type: textOrNull, exchange: text, routingKey: text },
        ...{ headers: Type.Unknown(), payload: textOrNull, payloadEncoding: encoding },
      }),
    ),
  }),
)
export const adminRedriveRequest: Shape<Contract.AdminRedriveRequest> = shape<Contract.AdminRedriveRequest>()(
  Type.Object({ limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000 })) }, closed),
)
export const adminRedrive: Shape<Contract.AdminRedrive> = shape<Contract.AdminRedrive>()(
  Type.Object({
    ...{ queue: text, requested: count, redriven: count, failed: count, kept: count, redriveId: text },
  }),
)
