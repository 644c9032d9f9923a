/**
 * The base of everything Warren throws. `code` is stable and listed in docs/reference/errors.md; the
 * message says what happened, to which object, and what to do.
 */
export abstract class WarrenError extends Error {
  /** Stable: match on it, not on the message. */
  abstract readonly code: string

  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = new.target.name
  }
}

/** Bytes that are not AMQP 0-9-1. `offset` counts from the start of the value that was being read. */
export class WireError extends WarrenError {
  /** Which rule of the protocol the bytes break. */
  readonly code: WireErrorCode
  /** Where in what was read, in bytes. */
  readonly offset: number
  /** The part of a message that is over a limit of the reader, where the bytes themselves are in order. */
  readonly oversized: 'header' | 'body' | undefined

  constructor(fields: {
    /** Which rule of the protocol the bytes break. */
    code: WireErrorCode
    detail: string
    /** Where in what was read, in bytes. */
    offset: number
    oversized?: 'header' | 'body'
  }) {
    super(`${fields.detail} (at byte ${fields.offset}).`)
    this.code = fields.code
    this.offset = fields.offset
    this.oversized = fields.oversized
  }
}

/** The codes of a `WireError`. */
export type WireErrorCode =
  | 'WIRE_TRUNCATED'
  | 'WIRE_TRAILING_BYTES'
  | 'WIRE_TOO_LARGE'
  | 'WIRE_TOO_DEEP'
  | 'WIRE_UNKNOWN_TAG'
  | 'WIRE_UNKNOWN_METHOD'
  | 'WIRE_BAD_FRAME'
  | 'WIRE_BAD_VALUE'
  | 'WIRE_UNEXPECTED'

/** A connection that could not be opened or did not live. `isFinal` means that trying again cannot help. */
export class ConnectionError extends WarrenError {
  /** What went wrong. */
  readonly code: ConnectionErrorCode
  /** Trying again cannot help, for example because the password is wrong. */
  readonly isFinal: boolean
  /** The broker's reply code, if the broker gave one. */
  readonly replyCode: number | undefined

  constructor(
    fields: { code: ConnectionErrorCode; message: string; isFinal?: boolean; replyCode?: number | undefined },
    options?: ErrorOptions,
  ) {
    super(fields.message, options)
    this.code = fields.code
    this.isFinal = fields.isFinal ?? false
    this.replyCode = fields.replyCode
  }
}

/** Why a connection could not be opened, or ended. */
export type ConnectionErrorCode =
  | 'CONNECTION_BAD_URL'
  | 'CONNECTION_REFUSED'
  | 'CONNECTION_TIMEOUT'
  | 'CONNECTION_NOT_AMQP'
  | 'CONNECTION_TLS_FAILED'
  | 'CONNECTION_AUTHENTICATION_REFUSED'
  | 'CONNECTION_VHOST_NOT_FOUND'
  | 'CONNECTION_ACCESS_REFUSED'
  | 'CONNECTION_LIMIT_REACHED'
  | 'CONNECTION_MESSAGE_TOO_LARGE'
  | 'CONNECTION_LOST'
  | 'CONNECTION_HEARTBEAT_MISSED'
  | 'CONNECTION_CLOSED_BY_BROKER'
  | 'CONNECTION_CLOSED'

/** A channel that is closed. When the broker closed it, its code and text are kept. */
export class ChannelError extends WarrenError {
  /** What went wrong. */
  readonly code: ChannelErrorCode
  /** The broker's reply code, if the broker closed the channel. */
  readonly replyCode: number | undefined
  /** What the broker said when it closed the channel. */
  readonly replyText: string | undefined

  constructor(
    fields: { code: ChannelErrorCode; message: string; replyCode?: number; replyText?: string },
    options?: ErrorOptions,
  ) {
    super(fields.message, options)
    this.code = fields.code
    this.replyCode = fields.replyCode
    this.replyText = fields.replyText
  }
}

/** Why a channel could not be opened, or ended. */
export type ChannelErrorCode =
  | 'CHANNEL_CLOSED'
  | 'CHANNEL_CLOSED_BY_BROKER'
  | 'CHANNEL_LIMIT_REACHED'
  | 'CHANNEL_TIMEOUT'

/** Why a publish has no answer from the broker; the `cause` of an `unknown` result. */
export class PublishError extends WarrenError {
  /** Why there is no answer. */
  readonly code: PublishErrorCode

  constructor(code: PublishErrorCode, options?: ErrorOptions) {
    super(publishErrors[code], options)
    this.code = code
  }
}

/** Why a publish has no answer from the broker. */
export type PublishErrorCode = keyof typeof publishErrors

const publishErrors = {
  PUBLISH_ABORTED:
    'The signal of this publish was aborted before the broker answered. wasSent says whether the message was sent.',
  PUBLISH_DEADLINE:
    'The broker did not answer before the deadline. wasSent says whether the message was sent.',
  PUBLISH_QUEUE_FULL:
    'Too many publishes are already waiting for the broker. Await publisher.room() or the results before publishing more.',
  PUBLISH_RETURN_UNMATCHED:
    'The broker returned a message that cannot be told apart from this one, so a queue may or may not have it. Publish with message ids, and do not change a body before its publish has a result.',
  PUBLISHER_CLOSED:
    'The publisher was closed before the broker answered. wasSent says whether the message was sent.',
} as const

/** What a caller passed cannot be sent as it is. Nothing was sent. */
export class InvalidArgumentError extends WarrenError {
  /** Always the same. */
  readonly code = 'INVALID_ARGUMENT'
}

/** The management API could not be reached or refused. */
export class ManagementError extends WarrenError {
  /** What went wrong. */
  readonly code: ManagementErrorCode
  /** The HTTP status of the answer; undefined if there was none. */
  readonly status: number | undefined
  /**
   * There is effectively no management API: nothing answers, or something else answers at an address that you did not
   * name.
   */
  readonly isAbsent: boolean

  constructor(
    fields: { code: ManagementErrorCode; message: string; status?: number | undefined; isAbsent?: boolean },
    options?: ErrorOptions,
  ) {
    super(fields.message, options)
    this.code = fields.code
    this.status = fields.status
    this.isAbsent = fields.isAbsent ?? fields.code === 'MANAGEMENT_UNREACHABLE'
  }
}

/**
 * Whether there is no management API, for callers that can continue without one.
 * @example
 * ```ts
 * await management.queues.list({ vhost: '/' }).catch((error: unknown) => {
 *   if (!isManagementAbsent(error)) throw error
 * })
 * ```
 */
export function isManagementAbsent(error: unknown): boolean {
  return error instanceof ManagementError && error.isAbsent
}

/** Why RabbitMQ's HTTP API could not be asked. */
export type ManagementErrorCode =
  | 'MANAGEMENT_BAD_URL'
  | 'MANAGEMENT_UNREACHABLE'
  | 'MANAGEMENT_TIMEOUT'
  | 'MANAGEMENT_UNAUTHORIZED'
  | 'MANAGEMENT_FORBIDDEN'
  | 'MANAGEMENT_NOT_FOUND'
  | 'MANAGEMENT_REFUSED'
  | 'MANAGEMENT_UNEXPECTED_ANSWER'
  | 'MANAGEMENT_NOT_PROVED'

/** A declaration that cannot become a topology. `mistakes` has all of them, not only the first. */
export class TopologyError extends WarrenError {
  /** Always the same. */
  readonly code = 'TOPOLOGY_INVALID'
  /** All mistakes of the declaration. */
  readonly mistakes: readonly TopologyMistake[]

  constructor(mistakes: readonly TopologyMistake[]) {
    const lines = mistakes.map(({ path, problem }) => `  ${path}: ${problem}`)
    const count = mistakes.length === 1 ? 'one mistake' : `${mistakes.length} mistakes`
    super([`The topology has ${count}:`, ...lines].join('\n'))
    this.mistakes = mistakes
  }
}

/** One mistake of a declaration. */
export interface TopologyMistake {
  /** Where it is, such as `queues['billing.orders'].retry.delays[0]`. */
  readonly path: string
  /** One sentence with the way out. */
  readonly problem: string
}

/** The broker differs from the topology, and `apply` alone does not change that. */
export class DeploymentError extends WarrenError {
  /** Refused: nothing was done, because some steps are impossible. Incomplete: a step failed. */
  readonly code: 'DEPLOYMENT_REFUSED' | 'DEPLOYMENT_INCOMPLETE'
  /** What was done anyway, step by step; undefined if nothing was tried. */
  readonly report: unknown

  constructor({ report, plan }: { report?: unknown; plan: string }) {
    const sentence =
      report === undefined
        ? 'The broker has objects that would have to be removed or changed, which apply() does not do by itself. Nothing was changed. Run `warren plan` and `warren apply`.'
        : 'The topology could not be applied as a whole. Run `warren plan` and `warren apply`.'
    super(`${sentence}\n${plan}`)
    this.code = report === undefined ? 'DEPLOYMENT_REFUSED' : 'DEPLOYMENT_INCOMPLETE'
    this.report = report
  }
}

/** Why a message could not be handled, where the consumer and not the handler says so. */
export class ConsumerError extends WarrenError {
  /** What went wrong. */
  readonly code: ConsumerErrorCode
  /** Trying again cannot help: the message is parked immediately. */
  readonly isPermanent: boolean

  constructor(
    fields: { code: ConsumerErrorCode; message: string; isPermanent?: boolean },
    options?: ErrorOptions,
  ) {
    super(fields.message, options)
    this.code = fields.code
    this.isPermanent = fields.isPermanent ?? false
  }
}

/** Why a consumer could not handle a message, or could not start. */
export type ConsumerErrorCode =
  | 'MESSAGE_UNDECODABLE'
  | 'MESSAGE_INVALID'
  | 'MESSAGE_UNKNOWN'
  | 'MESSAGE_TOO_LARGE'
  | 'HANDLER_TIMEOUT'
  | 'HANDLER_ANSWER_WRONG'
  | 'RETRYING_SETTLES'
  | 'HTTP_DELIVERY_FAILED'
  | 'CONSUMER_CLOSING'
  | 'WAY_OUT_BROKEN'
  | 'WAY_OUT_UNPROVED'

/** A file of the command line that cannot be used as it is, or cannot be written. */
export class ConfigError extends WarrenError {
  /** What is wrong with it. */
  readonly code: ConfigErrorCode
  /** The file, as it was named. */
  readonly file: string

  constructor(fields: { code: ConfigErrorCode; file: string; message: string }, options?: ErrorOptions) {
    super(fields.message, options)
    this.code = fields.code
    this.file = fields.file
  }
}

/** The codes of a `ConfigError`. */
export type ConfigErrorCode =
  | 'CONFIG_NOT_FOUND'
  | 'CONFIG_UNREADABLE'
  | 'CONFIG_INVALID'
  | 'CONFIG_EXISTS'
  | 'FILE_NOT_WRITTEN'

/** Why dead letters were not looked at or not moved. Nothing was changed, unless the message says so. */
export class RecoveryError extends WarrenError {
  /** What went wrong. */
  readonly code: RecoveryErrorCode
  /** Where in a filter the mistake is, counted from 1. */
  readonly column: number | undefined

  constructor(
    fields: { code: RecoveryErrorCode; message: string; column?: number | undefined },
    options?: ErrorOptions,
  ) {
    super(fields.message, options)
    this.code = fields.code
    this.column = fields.column
  }
}

/** Why dead letters were not looked at or not moved. */
export type RecoveryErrorCode =
  | 'RECOVERY_LOCKED'
  | 'RECOVERY_QUEUE_NOT_FOUND'
  | 'RECOVERY_LOOK_REFUSED'
  | 'RECOVERY_INTERRUPTED'
  | 'RECOVERY_HELD_TOO_LONG'
  | 'RECOVERY_NO_LEADER'
  | 'RECOVERY_MOVED_ASIDE'
  | 'RECOVERY_EDIT_TOO_LARGE'
  | 'BACKUP_INVALID'
  | 'BACKUP_NOT_WRITTEN'
  | 'RECEIPT_INVALID'
  | 'FILTER_INVALID'

/** An embedded broker could not start with these options. Nothing listens then. */
export class EmbeddedBrokerError extends WarrenError {
  /** What went wrong. */
  readonly code: EmbeddedBrokerErrorCode

  constructor(fields: { code: EmbeddedBrokerErrorCode; message: string }, options?: ErrorOptions) {
    super(fields.message, options)
    this.code = fields.code
  }
}

/** Why an embedded broker could not start, or could not come to rest. */
export type EmbeddedBrokerErrorCode =
  | 'EMBEDDED_PORT_UNAVAILABLE'
  | 'EMBEDDED_DEFINITIONS_REFUSED'
  | 'EMBEDDED_NEVER_SETTLES'
  | 'EMBEDDED_STILL_IN_HAND'
  | 'EMBEDDED_PASSED_OVER'

/** Why the admin API did not do what was asked. */
export class ApiError extends WarrenError {
  /** What was wrong; it decides the HTTP status. */
  readonly code: ApiErrorCode
  /** When to try again. */
  readonly retryAfterSeconds: number | undefined

  constructor(
    fields: { code: ApiErrorCode; message: string; retryAfterSeconds?: number },
    options?: ErrorOptions,
  ) {
    super(fields.message, options)
    this.code = fields.code
    this.retryAfterSeconds = fields.retryAfterSeconds
  }
}

/** The codes of an `ApiError`; `docs/reference/errors.md` says what each means. */
export type ApiErrorCode =
  | 'API_REQUEST_INVALID'
  | 'API_NOT_AUTHENTICATED'
  | 'API_CREDENTIALS_EXPIRED'
  | 'API_ACCOUNT_UNCHECKED'
  | 'API_FORBIDDEN'
  | 'API_CSRF_REFUSED'
  | 'API_NOT_FOUND'
  | 'API_METHOD_NOT_ALLOWED'
  | 'API_NOT_ACCEPTABLE'
  | 'API_HTTP_MALFORMED'
  | 'API_TASK_ENDED'
  | 'API_TASK_UNPROVED'
  | 'API_TASK_NOT_ENDED'
  | 'API_EDIT_INTERRUPTED'
  | 'API_APPROVAL_NEEDED'
  | 'API_APPROVAL_DECIDED'
  | 'API_APPROVAL_UNPROVED'
  | 'API_PLAN_CHANGED'
  | 'API_NOTHING_TO_MOVE'
  | 'API_KEY_REUSED'
  | 'API_REQUEST_UNDER_WAY'
  | 'API_TOO_LARGE'
  | 'API_NO_BACKUP_FOLDER'
  | 'API_BACKUP_IN_USE'
  | 'API_BACKUP_NEEDED'
  | 'API_SNAPSHOT_ELSEWHERE'
  | 'API_SNAPSHOT_NO_ROOM'
  | 'API_TOO_MANY_ATTEMPTS'
  | 'API_BUSY'
  | 'API_FAILED'
  | 'SERVER_UNPROTECTED'
  | 'SERVER_PORT_UNAVAILABLE'
  | 'TASKS_UNAVAILABLE'
  | 'NOTICES_UNAVAILABLE'
  | 'OIDC_UNAVAILABLE'
  | 'OIDC_LOGIN_REFUSED'
  | 'AUDIT_UNAVAILABLE'
  | 'AUDIT_BROKEN'
