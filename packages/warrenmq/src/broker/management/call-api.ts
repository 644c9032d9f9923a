import { ManagementError } from '../../errors.ts'
import { encodePath, type Query } from './encode-path.ts'
import { explainNoAnswer, explainStatus, type FailureContext, notTheApi } from './explain-status.ts'
import { type HttpAnswer, type HttpEndpoint, type HttpRequest, sendHttpRequest } from './http-request.ts'
import { limitConcurrency } from './limit-concurrency.ts'

/** Accepted by every call. */
export interface CallOptions {
  /**
   * Aborting rejects the call with the signal's reason.
   * @example { signal: AbortSignal.timeout(5_000) }
   */
  readonly signal?: AbortSignal | undefined
}

export interface ApiRequest {
  /** The segments after `/api`, not encoded. */
  readonly path: readonly string[]
  readonly query?: Query
  /** The thing in words, such as `queue "orders" in vhost "/"`. */
  readonly subject: string
  /** Statuses beyond 2xx that are answers and not failures. */
  readonly accept?: readonly number[]
  readonly options?: CallOptions | undefined
}

export interface ApiAnswer {
  readonly status: number
  /** Undefined where the answer has no body. */
  readonly json: unknown
}

export type CallApi = (request: ApiRequest) => Promise<ApiAnswer>

/** The one way from a resource to the socket: encodes, bounds, sends, and turns every failure into a sentence. */
export function createApi(endpoint: HttpEndpoint, { maxConcurrent }: { maxConcurrent: number }): CallApi {
  const runLimited = limitConcurrency(maxConcurrent)
  return async (request) => {
    const path = encodePath(request.path, request.query)
    const signal = request.options?.signal
    const context = { ...endpoint, subject: request.subject }
    const { status, body } = await runLimited(() => send(endpoint, { path, signal }, context), signal)
    const isAnswer = (status >= 200 && status < 300) || request.accept?.includes(status)
    if (!isAnswer) throw explainStatus(status, body, context)
    return { status, json: parse(body, context) }
  }
}

/** Settles with undefined where the thing does not exist. */
export async function callOrUndefined(callApi: CallApi, request: ApiRequest): Promise<ApiAnswer | undefined> {
  try {
    return await callApi(request)
  } catch (error) {
    if (error instanceof ManagementError && error.code === 'MANAGEMENT_NOT_FOUND') return undefined
    throw error
  }
}

async function send(
  endpoint: HttpEndpoint,
  request: HttpRequest,
  context: FailureContext,
): Promise<HttpAnswer> {
  try {
    return await sendHttpRequest(endpoint, request)
  } catch (error) {
    const { signal } = request
    throw signal?.aborted && error === signal.reason ? error : explainNoAnswer(error, context)
  }
}

function parse(body: string, context: FailureContext): unknown {
  if (body === '') return undefined
  try {
    return JSON.parse(body)
  } catch {
    throw notTheApi(context, 'an answer that is not JSON')
  }
}
