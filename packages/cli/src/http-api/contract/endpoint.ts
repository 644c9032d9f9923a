import type * as Contract from './contract.ts'
import type { Shape } from './shape.ts'

/** One thing that can be asked of the server: its address, who may ask, and what goes in and out. */
export interface Endpoint<Params = undefined, Query = undefined, Body = undefined, Answer = undefined> {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** With `:name` for each parameter. */
  readonly path: string
  readonly summary: string
  readonly tag: string
  /** `anyone`: also without credentials. `known`: every caller with a role. */
  readonly needs: Contract.Permission | 'known' | 'anyone'
  readonly params?: Shape<Params>
  readonly query?: Shape<Query>
  readonly body?: Shape<Body>
  /** It is about what a queue was, which may be gone or no dead-letter queue any more. */
  readonly isOfPast?: true
  /** No role may name another queue here, whatever `anyQueue` says. */
  readonly takesDlqsOnly?: true
  /** A request without a body is one with an empty object. */
  readonly mayLackBody?: true
  /** The status of success. @default 200, or 204 without an answer */
  readonly status?: number
  readonly answer?: Shape<Answer>
  /** What is answered with 202 and a `location` where a second person has to agree first. */
  readonly waiting?: Shape<Contract.Approval>
  /** What the header `location` of a success names. */
  readonly locates?: string
  /** The answer is no JSON. */
  readonly mediaType?: 'text/event-stream' | 'text/plain' | 'text/html' | 'application/gzip'
  /** The answer comes in this form, too, for who asks for it. */
  readonly alsoAs?: 'text/html'
  /** The request is no JSON; it is read as a stream. */
  readonly accepts?: { readonly mediaType: 'application/gzip'; readonly description: string }
  /** What 204 means to who has followed a stream and comes back. */
  readonly whenEnded?: string
  /** More than fits into the summary. */
  readonly description?: string
  /** What 503 means, where it is told as plain text. */
  readonly unavailable?: string
}
