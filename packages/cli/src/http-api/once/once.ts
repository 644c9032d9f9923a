import { ApiError } from 'warrenmq/operations'
import type { HeardNotice } from '../notices/notice.ts'
import type { NoticeBoard } from '../notices/notice-board.ts'
import { isForgotten, type KnownRequest } from './known-request.ts'
import { KnownRequests } from './known-requests.ts'
import type { OnceAnswer } from './once-answer.ts'

export interface OnceRequest {
  /** The caller and their key, hashed. */
  readonly key: string
  /** What is asked for, hashed. */
  readonly request: string
}

/** Does what is asked with an idempotency key once, on whichever server it is asked, and over a restart. */
export class Once {
  readonly #tell: NoticeBoard['tell']
  readonly #known = new KnownRequests()

  constructor(tell: NoticeBoard['tell']) {
    this.#tell = tell
  }

  /** One of the servers told something. */
  heard(record: HeardNotice): void {
    this.#known.heard(record)
  }

  /** The answer of the first request with this key; `run` is called for that one alone. */
  async answer(
    asked: OnceRequest,
    run: () => Promise<OnceAnswer>,
  ): Promise<{ readonly answer: OnceAnswer; readonly isFirst: boolean }> {
    const known = this.#find(asked)
    if (known) return { answer: answerOf(known, asked), isFirst: false }
    const begunIn = await this.#tell({ kind: 'request-begun', ...asked, at: new Date().toISOString() })
    const first = this.#find(asked)
    // Another server, or another request to this one, has told the same a moment before.
    if (first && first.begunIn !== begunIn) return { answer: answerOf(first, asked), isFirst: false }
    const end = (answer: OnceAnswer | null) =>
      this.#tell({ kind: 'request-ended', key: asked.key, begunIn, answer })
    try {
      const answer = await run()
      // What cannot be told stays under way for all: it must not be done again.
      await end(answer).catch(() => undefined)
      return { answer, isFirst: true }
    } catch (error) {
      await end(null).catch(() => undefined)
      throw error
    }
  }

  #find({ key }: OnceRequest): KnownRequest | undefined {
    const found = this.#known.get(key)
    return found && !isForgotten(found, Date.now()) ? found : undefined
  }
}

function answerOf({ request, answer, begunAt }: KnownRequest, asked: OnceRequest): OnceAnswer {
  if (request !== asked.request)
    throw new ApiError({
      code: 'API_KEY_REUSED',
      message: 'You have used this idempotency-key for another request. Send a new key with each request.',
    })
  if (answer) return answer
  throw new ApiError({
    code: 'API_REQUEST_UNDER_WAY',
    message: `The request with this idempotency-key began at ${begunAt} and has no answer yet. Try again in a moment; if its server has ended, see GET /api/v1/tasks for what happened, and use a new key.`,
    retryAfterSeconds: 1,
  })
}
