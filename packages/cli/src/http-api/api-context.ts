import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Approvals } from './approvals/approvals.ts'
import type { AuditLog } from './audit/audit-log.ts'
import type { Authenticator } from './auth/authenticator.ts'
import type { Caller } from './auth/caller.ts'
import type { LoginLink } from './auth/login-link.ts'
import type { OidcLogin } from './auth/oidc/oidc-login.ts'
import type { Sessions } from './auth/sessions.ts'
import type { AccountWatch } from './auth/watch-accounts.ts'
import type { BackupLocks } from './backups/backup-locks.ts'
import type { AnswerOf, BodyOf, Endpoint, ParamsOf, QueryOf } from './contract/endpoint.ts'
import type { DemoControls } from './demo-controls.ts'
import type { DlqLists } from './dlqs/dlq-lists.ts'
import type { ReadTraffic } from './dlqs/read-traffic.ts'
import type { OpenStreams } from './events/open-streams.ts'
import type { QueueTurns } from './guards/queue-turns.ts'
import type { RequestSlots } from './guards/request-slots.ts'
import type { DepthHistory } from './history/depth-history.ts'
import type { Notes } from './notes/notes.ts'
import type { NoticeBoard } from './notices/notice-board.ts'
import type { Once } from './once/once.ts'
import type { ServerSettings } from './read-server-section.ts'
import type { Strays } from './records/strays.ts'
import type { ShownPlans } from './redrives/shown-plans.ts'
import type { ServerBroker } from './server-broker.ts'
import type { Names } from './show/name-messages.ts'
import type { ReadSince } from './snapshots/read-since.ts'
import type { Snapshots } from './snapshots/snapshots.ts'
import type { Tasks } from './tasks/tasks.ts'
import type { ServedVhosts } from './vhosts/served-vhosts.ts'

/** What every route works with. */
export interface ApiContext extends Names {
  readonly broker: ServerBroker
  /** Those of this server, with this one. */
  readonly vhosts: ServedVhosts<ApiContext>
  readonly slots: RequestSlots
  readonly streams: OpenStreams
  readonly turns: QueueTurns
  readonly backups: BackupLocks
  readonly dlqs: DlqLists
  readonly readTraffic: ReadTraffic
  readonly history: DepthHistory
  readonly tasks: Tasks
  readonly snapshots: Snapshots
  /** What has become of the queue of a snapshot. */
  readonly readSince: ReadSince
  /** The plans that were shown. */
  readonly plans: ShownPlans
  readonly approvals: Approvals
  readonly notices: NoticeBoard
  readonly notes: Notes
  readonly once: Once
  readonly audit: AuditLog
  readonly strays: Strays
  readonly settings: ServerSettings
  readonly authenticator: Authenticator
  /** Undefined: no account of RabbitMQ can log in. */
  readonly accounts: AccountWatch | undefined
  readonly sessions: Sessions
  /** Undefined: browsers cannot log in at an OIDC provider. */
  readonly oidcLogin: OidcLogin | undefined
  /** Undefined: nobody is logged in by a link. */
  readonly loginLink: LoginLink | undefined
  /** Undefined: this is no demo. */
  readonly demo: DemoControls | undefined
  /** Of Warren. */
  readonly version: string
}

/** One request, validated, by somebody who may make it. */
export interface Call<Params, Query, Body> {
  readonly params: Params
  readonly query: Query
  readonly body: Body
  readonly caller: Caller
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

/** Answers the requests of one endpoint. */
export type Answer<E extends Endpoint> = (call: CallOf<E>) => Promise<AnswerOf<E>>

export type CallOf<E extends Endpoint> = Call<ParamsOf<E>, QueryOf<E>, BodyOf<E>>

export type AddRoute = <E extends Endpoint>(
  endpoint: E,
  answer: Answer<E>,
  /**
   * Of a list that many poll: is another one as soon as the list may be. Only for answers that depend on nothing of the
   * caller but their role and the queues they may read. @default each answer is made for who asked
   */
  editionOf?: () => string,
) => void

/** Adds the routes of one resource. */
export type AddRoutes = (add: AddRoute, context: ApiContext, app: FastifyInstance) => void
