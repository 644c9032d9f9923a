import { createHmac } from 'node:crypto'
import { ConsumerError, InvalidArgumentError } from '../../errors.ts'
import { joinSignals } from '../../join-signals.ts'
import { type Duration, parseDuration } from '../../message/duration.ts'
import { type OptionNames, refuseUnknown } from '../../message/refuse-unknown.ts'
import { dateNow } from '../../world.ts'
import type { Handler, HandlerContext } from '../handler.ts'
import type { StatusAnswer } from '../handler-answer.ts'
import type { ConsumedMessage } from '../run/consumed-message.ts'
import { parseRetryAfter } from './parse-retry-after.ts'

/** Where and how messages are pushed. */
export interface HttpHandlerOptions {
  /**
   * The endpoint; a login in it is sent as basic authentication.
   * @example { url: 'https://billing.example/orders' }
   */
  readonly url: string | URL
  /**
   * The method of the request. @default 'POST'
   * @example { method: 'PUT' }
   */
  readonly method?: string
  /**
   * Sent with every request; these win over those of the message and over the login of the URL, in any case.
   * @example { headers: { authorization: 'Bearer 7f9c' } }
   */
  readonly headers?: Readonly<Record<string, string>>
  /**
   * How long the endpoint may take to answer: five minutes at most, unless `fetch` is yours. @default '30s'
   * @example { timeout: '10s' }
   */
  readonly timeout?: Duration
  /**
   * Signs each request: HMAC-SHA256 of `<timestamp>.<body>` in `warren-signature`.
   * @example { secret: process.env.WEBHOOK_SECRET ?? '' }
   */
  readonly secret?: string
  /**
   * The function that sends requests. @default the global one, which keeps connections alive
   * @example { fetch: (input, init) => fetch(input, { ...init, redirect: 'error' }) }
   */
  readonly fetch?: typeof fetch
}

const handlerOptions: OptionNames<HttpHandlerOptions> = {
  url: true,
  method: true,
  headers: true,
  timeout: true,
  secret: true,
  fetch: true,
}

/**
 * A handler that pushes each message to an HTTP endpoint, so that a service in any language gets retries and a
 * dead-letter queue. The body is sent as it is; the status of the answer decides, by the consumer's status table.
 * @example
 * ```ts
 * await warren.consume('orders', httpHandler({ url: 'https://example.com/orders', timeout: '10s' }))
 * ```
 */
export function httpHandler(options: HttpHandlerOptions): Handler {
  refuseUnknown('httpHandler()', options, handlerOptions)
  const url = readUrl(options.url)
  const method = readMethod(options.method ?? 'POST')
  const timeoutMs = readTimeout(options)
  const send = options.fetch ?? fetch
  return async (message, context) => {
    const patience = joinSignals([context.signal], { timeoutMs })
    const request = {
      method,
      headers: { ...url.login, ...requestHeaders(message, context, options) },
      body: new Uint8Array(message.rawBody),
      redirect: 'manual',
      signal: patience.signal,
    } as const
    try {
      return await readResponse(await send(url.href, request))
    } catch (cause) {
      throw deliveryError({ url: url.href, cause, timeoutMs })
    } finally {
      patience.release()
    }
  }
}

// Node's fetch gives up on an endpoint that has not started to answer by then, whatever the options say.
const longestFetchMs = 300_000

function readTimeout({ timeout = '30s', fetch }: HttpHandlerOptions): number {
  const timeoutMs = parseDuration(timeout)
  if (timeoutMs > longestFetchMs && fetch === undefined)
    throw new InvalidArgumentError(
      `Node's fetch waits no longer than 5 minutes for an answer, and the timeout is ${timeout}. ` +
        'Give at most "5m", or a `fetch` of your own. Work that takes longer is better accepted with 202.',
    )
  return timeoutMs
}

/** How much of an answer that is no success is kept, as the error of the message. */
const keptAnswerBytes = 1024
/** How much of it is read: an ordinary answer to its end, because its connection can be used again then. */
const readAnswerBytes = 64 * 1024

async function readResponse(response: Response): Promise<StatusAnswer> {
  const { status, headers } = response
  const retryAfterMs = parseRetryAfter(headers.get('retry-after'), dateNow())
  const isSuccess = status >= 200 && status < 300
  const start = await readStart(response)
  return { status, retryAfterMs, error: isSuccess ? undefined : start }
}

async function readStart(response: Response): Promise<string> {
  const start: Buffer[] = []
  let bytes = 0
  try {
    for await (const piece of response.body ?? []) {
      const chunk = Buffer.from(piece as Uint8Array)
      if (bytes < keptAnswerBytes) start.push(chunk)
      bytes += chunk.length
      if (bytes >= readAnswerBytes) break // leaving the loop cancels the rest, and closes the connection
    }
  } catch {
    // The status is the answer: who has said 200 has done the work, however the rest of it ends.
  }
  const text = Buffer.concat(start).subarray(0, keptAnswerBytes).toString('utf8').trim()
  return text || `${response.status} ${response.statusText}`.trim()
}

function requestHeaders(
  message: ConsumedMessage,
  { attempt, queue }: HandlerContext,
  { headers, secret }: HttpHandlerOptions,
): Record<string, string> {
  const traceparent = message.headers.traceparent
  const all: Record<string, string | undefined> = {
    'content-type': message.contentType ?? 'application/octet-stream',
    'content-encoding': message.contentEncoding,
    'warren-queue': queue,
    'warren-exchange': message.exchange,
    'warren-routing-key': message.routingKey,
    'warren-attempt': String(attempt),
    'warren-message-id': message.id,
    'warren-correlation-id': message.correlationId,
    'warren-message-type': message.type,
    traceparent: typeof traceparent === 'string' ? traceparent : undefined,
    ...(secret === undefined ? {} : signature(message.rawBody, secret)),
    // An HTTP header has one name in any case, and fetch would send both.
    ...Object.fromEntries(Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value])),
  }
  return Object.fromEntries(
    Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, headerSafe(value)]])),
  )
}

function signature(body: Buffer, secret: string): Record<string, string> {
  const timestamp = String(Math.floor(dateNow() / 1000))
  return {
    'warren-timestamp': timestamp,
    'warren-signature': `sha256=${signBody({ body, timestamp, secret })}`,
  }
}

/**
 * The signature that a receiver computes to compare, as hexadecimal digits.
 * @example
 * ```ts
 * const expected = signBody({ body: Buffer.from('{}'), timestamp: '1767225600', secret: 'shared with the sender' })
 * ```
 */
export function signBody(signed: {
  readonly body: Buffer
  /** As it is in `warren-timestamp`. */
  readonly timestamp: string
  readonly secret: string
}): string {
  refuseUnknown('signBody()', signed, { body: true, timestamp: true, secret: true })
  const { body, timestamp, secret } = signed
  return createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex')
}

/** Routing keys and ids may hold anything; an HTTP header may not. */
function headerSafe(value: string): string {
  return /^[\x20-\x7e]*$/.test(value) ? value : encodeURIComponent(value)
}

/** `fetch` refuses a URL with a login in it, so the login becomes the header that it means. */
function readUrl(given: string | URL): { readonly href: string; readonly login: Record<string, string> } {
  if (!URL.canParse(String(given))) throw notAnAddress(given)
  const url = new URL(given)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw notAnAddress(given)
  if (url.username === '') return { href: url.href, login: {} }
  const login = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
  url.username = ''
  url.password = ''
  return { href: url.href, login: { authorization: `Basic ${Buffer.from(login).toString('base64')}` } }
}

function notAnAddress(given: string | URL): InvalidArgumentError {
  return new InvalidArgumentError(
    `"${given}" is not an address to deliver to; it must begin with http:// or https://.`,
  )
}

function readMethod(method: string): string {
  if (!/^(GET|HEAD)$/i.test(method)) return method.toUpperCase()
  throw new InvalidArgumentError(`A ${method} request has no body. Use POST, PUT, PATCH or DELETE.`)
}

function deliveryError({
  url,
  cause,
  timeoutMs,
}: {
  url: string
  cause: unknown
  timeoutMs: number
}): ConsumerError {
  const { origin, pathname } = new URL(url)
  const error = cause as Error & { cause?: { message?: string } }
  const why =
    error.name === 'TimeoutError'
      ? `no answer within ${timeoutMs} ms`
      : (error.cause?.message ?? error.message)
  return new ConsumerError(
    { code: 'HTTP_DELIVERY_FAILED', message: `${origin}${pathname} could not be reached: ${why}.` },
    { cause },
  )
}
