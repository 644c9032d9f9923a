import type { TObject, TSchema } from 'typebox'
import type { OwnProblemCode } from './problem-codes.ts'
import type { Permission } from './role.ts'
import type { SchemaValue } from './schema.ts'

/** One thing that can be asked of the server: its address, who may ask, and what goes in and out. */
export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** With `:name` for each parameter. */
  readonly path: string
  readonly summary: string
  /** More than fits into the summary. */
  readonly description: string
  readonly tag: Tag
  /** `anyone`: also without credentials. `known`: every caller with a role. */
  readonly needs: Permission | 'known' | 'anyone'
  readonly params?: TObject
  readonly query?: TObject
  readonly body?: TSchema
  /** It is about what a queue was, which may be gone or no dead-letter queue any more. */
  readonly isOfPast?: true
  /** No role may name another queue here, whatever `anyQueue` says. */
  readonly takesDlqsOnly?: true
  /** GET does something that can be done once, so there is no HEAD: what only looks at a link must not use it up. */
  readonly actsOnGet?: true
  /** A request without a body is one with an empty object. */
  readonly mayLackBody?: true
  /** The status of success. @default 200, or 204 without an answer */
  readonly status?: number
  readonly answer?: TSchema
  /** What is answered with 202 and a `location` where a second person has to agree first. */
  readonly waiting?: TSchema
  /** What the header `location` of a success names. */
  readonly locates?: string
  /** The answer is no JSON. */
  readonly mediaType?: 'text/event-stream' | 'text/plain' | 'text/html' | 'application/gzip'
  /** Such an answer. */
  readonly example?: string
  /** The answer comes in this form, too, for who asks for it. */
  readonly alsoAs?: 'text/html'
  /** The request is no JSON; it is read as a stream. */
  readonly accepts?: { readonly mediaType: 'application/gzip'; readonly description: string }
  /** What 204 means to who has followed a stream and comes back. */
  readonly whenEnded?: string
  /** What 503 means, where it is told as plain text. */
  readonly unavailable?: string
  /** RabbitMQ is asked, which may be away or refuse. */
  readonly asksBroker?: true
  /** Messages are looked at, which others may be doing. */
  readonly looks?: true
  /** Codes of problems besides those that follow from the rest; see problem-codes.ts. */
  readonly problems?: readonly OwnProblemCode[]
}

/** In the order of the documentation. */
export const tags = {
  session: 'Who you are, and how browsers log in.',
  broker: 'RabbitMQ as the server sees it.',
  'dead letters': 'Dead-letter queues, why their messages died, and the messages.',
  snapshots: 'What one look saw, stored so that you can read it as often as you like.',
  redrives: 'Dead letters go back to work.',
  tasks: 'What runs in the background, and its receipts.',
  approvals: 'What needs a second person.',
  notes: 'What people tell each other about queues and receipts.',
  backups: 'Messages as files: download, discard, restore.',
  events: 'Changes as they happen.',
  topology: 'Exchanges, queues and bindings: declared, live, and the way from one to the other.',
  audit: 'Who did what.',
  admin: 'The endpoints of the isolated layout.',
  operation: 'For operators of the server.',
  demo: 'The shop of `warren demo --console`.',
} as const
type Tag = keyof typeof tags

export type EndpointList = Readonly<Record<string, Endpoint>>

type Of<Schema> = Schema extends TSchema ? SchemaValue<Schema> : undefined
type At<Of, Name extends keyof Endpoint> = Of extends { readonly [Key in Name]: infer Found }
  ? Found
  : undefined

export type ParamsOf<E extends Endpoint> = Of<At<E, 'params'>>
export type QueryOf<E extends Endpoint> = Of<At<E, 'query'>>
export type BodyOf<E extends Endpoint> = Of<At<E, 'body'>>

/** Also what it waits for, where a second person has to agree. */
export type AnswerOf<E extends Endpoint> =
  | Of<At<E, 'answer'>>
  | (E extends { readonly waiting: TSchema } ? Of<At<E, 'waiting'>> : never)
