import type { Receipt as WrittenReceipt } from 'warrenmq'

/**
 * What goes over the line, as types: all that the console knows of us. Each is checked against its schema when
 * shapes.ts is compiled, so a type and what the server accepts or sends cannot drift apart.
 */

export type Role = 'viewer' | 'operator' | 'admin'

export type Permission =
  | 'dlq:read'
  | 'payload:read'
  | 'dlq:redrive'
  | 'dlq:backup'
  | 'dlq:discard'
  | 'dlq:restore'
  | 'dlq:admin'
  | 'topology:read'
  | 'topology:apply'
  | 'audit:read'

/** How a caller proved who they are. */
export type WayIn = 'nobody-asked' | 'broker-account' | 'token' | 'oidc'

/** RFC 9457. `code` is listed in docs/reference/errors.md; `detail` says what to do. */
export interface Problem {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly code: string
}

export interface Credentials {
  readonly username: string
  readonly password: string
}

export interface MyPermissions {
  readonly name: string
  readonly role: Role
  readonly wayIn: WayIn
  readonly vhost: string
  readonly permissions: readonly Permission[]
}

export interface OpenedSession extends MyPermissions {
  /** To be sent as `x-csrf-token` with every request that changes something. */
  readonly csrfToken: string
  readonly expiresAt: string
}

export interface BrokerState {
  readonly product: string
  readonly version: string
  readonly vhost: string
  readonly isConnected: boolean
  readonly isHealthy: boolean
  readonly alarms: readonly { readonly node: string; readonly resource: string }[]
  /** The version of Warren that answers. */
  readonly warren: string
}

export interface QueueParams {
  readonly queue: string
}

export interface DlqList {
  readonly vhost: string
  readonly items: readonly Dlq[]
}

export interface Dlq {
  readonly queue: string
  readonly type: string | null
  /** Ready messages, exact and at most a second old; null where the queue went away meanwhile. */
  readonly messages: number | null
  /** Counted with them. */
  readonly consumers: number | null
  readonly sources: readonly string[]
  readonly knownBy: 'topology' | 'dead-lettering' | 'name'
}

export interface CauseList {
  readonly queue: string
  readonly present: number
  readonly seen: number
  /** False: messages could not be held until all were seen, and the counts are of those `seen`. */
  readonly isWhole: boolean
  readonly causes: readonly CauseCount[]
}

export interface Cause {
  readonly id: string
  readonly label: string
  readonly kind: 'error' | 'death' | 'unknown'
}

export interface CauseCount extends Cause {
  readonly count: number
  readonly first: string | null
  readonly last: string | null
  readonly sample: string | null
  /** What the group has in the fields of `groupBy`; null for no such field. */
  readonly by: readonly { readonly field: string; readonly value: string | null }[]
  /** Fields that tell its messages apart, the likeliest first, where only a reason is known. */
  readonly splits: readonly {
    readonly field: string
    readonly values: readonly { readonly value: string | null; readonly count: number }[]
  }[]
}

export interface CausesQuery {
  /** As `warren dlq causes --group-by` takes it. */
  readonly groupBy?: string
  /** As `--where` takes it. */
  readonly where?: string
}

export interface MessageQuery {
  /** As `warren dlq peek --where` takes it. */
  readonly where?: string
  readonly limit: number
  readonly cursor?: string
}

export interface MessagePage {
  readonly queue: string
  readonly present: number
  /** False: messages could not be held until the page was full; `nextCursor` goes on where it ended. */
  readonly isWhole: boolean
  readonly items: readonly MessageSummary[]
  /** Null at the end. */
  readonly nextCursor: string | null
}

export interface MessageSummary {
  /** Names the message in this API; made of its content, so it has one also without an id. */
  readonly key: string
  readonly id: string | null
  readonly type: string | null
  readonly exchange: string
  readonly routingKey: string
  /** The queue it failed in. */
  readonly failedIn: string | null
  readonly cause: Cause
  readonly diedAt: string | null
  readonly attempts: number | null
  readonly bodyBytes: number
}

export interface MessageParams {
  readonly queue: string
  readonly key: string
}

export interface MessageDetail extends MessageSummary {
  readonly properties: MessageProperties
  readonly headers: readonly TypedHeader[]
  /** The oldest first, as far as the broker tells. */
  readonly deaths: readonly DeathRecord[]
  /** Null where it is hidden. */
  readonly body: MessageBody | null
  /** Why it is: payloads are hidden from the role, or parts are masked and this one cannot be read to mask them. */
  readonly bodyHidden: 'from-your-role' | 'cannot-be-masked' | null
  /**
   * The body unpacked, where `contentEncoding` says that it is packed (gzip, deflate or br). Null where it is not, where
   * that is not true or it unpacks to more than 1 MiB, and where it is hidden.
   */
  readonly decoded: MessageBody | null
}

/** The properties of AMQP but for the headers, as they came; null where the message has none. */
export interface MessageProperties {
  readonly contentType: string | null
  readonly contentEncoding: string | null
  /** 2: it survives a restart of the broker. */
  readonly deliveryMode: number | null
  readonly priority: number | null
  readonly correlationId: string | null
  readonly replyTo: string | null
  /** Milliseconds, as text. */
  readonly expiration: string | null
  readonly messageId: string | null
  /** ISO 8601; as its publisher wrote it. Seconds as text where they are beyond any date. */
  readonly timestamp: string | null
  /** Of the property alone; `type` of the message may come from a header. */
  readonly type: string | null
  readonly userId: string | null
  readonly appId: string | null
  readonly clusterId: string | null
}

export interface TypedHeader {
  readonly name: string
  /** The letter of the AMQP type: `S` text, `I` int32, `l` int64, `T` time, `F` table, … */
  readonly type: string
  /** As JSON: bytes in base64, integers beyond 2^53 as text. */
  readonly value: unknown
}

export interface DeathRecord {
  readonly queue: string
  readonly reason: string
  readonly count: number
  readonly firstAt: string | null
  readonly exchange: string | null
  readonly routingKeys: readonly string[]
}

export interface MessageBody {
  readonly encoding: 'utf8' | 'base64'
  readonly text: string
  readonly isCut: boolean
  readonly isMasked: boolean
}

export interface RedrivePlan {
  readonly queue: string
  readonly present: number
  readonly moving: number
  /** Looked at; fewer than are present where messages could not be held for so long, or others took some. */
  readonly seen: number
  /** False: the other numbers are of those `seen`, and there may be more to move among the rest. */
  readonly isWhole: boolean
  readonly targets: readonly PlannedTarget[]
  readonly keeping: readonly { readonly reason: string; readonly count: number }[]
  readonly refusals: readonly string[]
}

export interface PlannedTarget {
  readonly target: string
  readonly count: number
  readonly why: string
  readonly queues: readonly string[]
  readonly secondFailure: string | null
  /** Of these, so many were first published with another key; the header `x-original-routing-key` keeps it. */
  readonly keyChanges: number
  /** Such keys, the first four. */
  readonly keysBefore: readonly string[]
}

export interface TaskParams {
  readonly id: string
}

/** `interrupted`: its server ended before it did. Any server may resume it, unless `problem` says why not. */
export type TaskState =
  | 'running'
  | 'paused'
  | 'cancelling'
  | 'done'
  | 'cancelled'
  | 'stopped'
  | 'failed'
  | 'interrupted'

export interface TaskList {
  /** The newest first. */
  readonly items: readonly Task[]
  /** Leads to older ones; null where there are none. */
  readonly nextCursor: string | null
}

export interface Task {
  readonly id: string
  readonly kind: 'redrive'
  readonly state: TaskState
  readonly queue: string
  readonly by: string
  readonly reason: string | null
  /** The host whose server works on it, or worked on it last. */
  readonly host: string
  readonly startedAt: string
  readonly endedAt: string | null
  /** Over all servers that worked on it. */
  readonly progress: {
    readonly present: number
    readonly moved: number
    readonly failed: number
    readonly kept: number
  }
  /** Of those moved, so many by servers that ended before the task did. The receipt tells of the others. */
  readonly movedBefore: number
  /** Why it failed, or why nobody can go on with it. */
  readonly problem: Problem | null
  /** False: no server with this one's key wrote it, so anybody may have. It blocks no queue and cannot be resumed. */
  readonly isSigned: boolean
}

export interface Receipt extends Omit<WrittenReceipt, 'digest'> {
  /** Over the ids and bodies of what was moved. Null for who is not shown payloads, or not all of them. */
  readonly digest: string | null
}

export interface AuditPage {
  /** The newest first; without a filter the very first of the first page is that it was read, and by whom. */
  readonly items: readonly ListedAuditRecord[]
  /** What stands among them in the stream and is no record of Warren. `warren audit --verify` says where. */
  readonly unreadable: number
  /** Leads to older ones; null where there are none. With a filter there may be more behind an empty page. */
  readonly nextCursor: string | null
}

export interface ListedAuditRecord extends AuditRecord {
  /** False: nobody with the key of this server wrote it; or it has none. */
  readonly isSigned: boolean
}

/**
 * One line of the audit log. `hash` covers the record, `previous`, the hash of its writer's record before, and
 * `after`, the hash of the newest record of others that its writer had seen.
 */
export interface AuditRecord {
  readonly at: string
  readonly by: string
  readonly wayIn: string
  readonly from: string
  readonly action: string
  readonly target: string
  readonly reason: string | null
  readonly result: string
  /** Null also for who is not shown payloads, or not all of them; the stream has it, and `hash` covers that. */
  readonly receiptDigest: string | null
  readonly writer: string
  readonly number: number
  readonly previous: string
  readonly after: string | null
  /** Where in the stream that one stands. */
  readonly afterOffset: number | null
  readonly hash: string
}

/** The endpoints of the isolated system. */
export interface AdminQueues {
  readonly queues: readonly { readonly queue: string; readonly messages: number | null }[]
}

export interface AdminMessagesQuery {
  readonly limit: number
}

export interface AdminMessages {
  readonly queue: string
  readonly messages: readonly AdminMessage[]
}

export interface AdminMessage {
  readonly messageId: string | null
  readonly type: string | null
  readonly exchange: string
  readonly routingKey: string
  readonly headers: unknown
  /** Null where it is hidden. */
  readonly payload: string | null
  readonly payloadEncoding: 'utf8' | 'base64'
}

export interface AdminRedriveRequest {
  readonly limit?: number
}

export interface AdminRedrive {
  readonly queue: string
  readonly requested: number
  readonly redriven: number
  readonly failed: number
  readonly kept: number
  readonly redriveId: string
}
