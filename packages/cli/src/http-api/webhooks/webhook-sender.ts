import { decideBackoff, joinSignals, parseRetryAfter, pause } from 'warrenmq/operations'
import { renderWebhook } from './render-webhook.ts'
import { saySendError } from './say-send-error.ts'
import { signWebhook } from './sign-webhook.ts'
import type { SentEvent } from './webhook-event.ts'
import type { Webhook, WebhookSettings } from './webhook-settings.ts'

export interface SenderOptions {
  readonly hook: Webhook
  readonly retry: WebhookSettings['retry']
  /** It is given up: the receiver refused it, or was away for too long. */
  readonly onGivenUp: (sent: SentEvent, reason: string) => void
  /** How long what is due may take when the server ends. @default 5 s */
  readonly goodbyeMs?: number
}

/** Beyond this many the oldest is given up: a receiver that is away must not fill our memory. */
const mostWaiting = 1_000
const timeoutMs = 10_000
const usualGoodbyeMs = 5_000
/** What a receiver may ask us to wait. */
const longestWaitMs = 3_600_000

/** How a receiver takes what it is sent, since the server started. */
export interface SenderState {
  readonly waiting: number
  readonly accepted: number
  readonly acceptedAt: string | null
  readonly givenUp: number
  /** Of the last attempt, if it failed. */
  readonly failure: { readonly at: string; readonly reason: string } | null
}

type Answer =
  | { readonly kind: 'taken' }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string; readonly retryAfterMs: number | undefined }

/** Sends events to one receiver, one after the other, each until it is taken. */
export class WebhookSender {
  readonly #options: SenderOptions
  readonly #waiting: SentEvent[] = []
  readonly #ending = new AbortController()
  #sending: Promise<void> | undefined
  #taken: Omit<SenderState, 'waiting'> = { accepted: 0, acceptedAt: null, givenUp: 0, failure: null }

  constructor(options: SenderOptions) {
    this.#options = options
  }

  get state(): SenderState {
    return { ...this.#taken, waiting: this.#waiting.length }
  }

  send(event: SentEvent): void {
    this.#waiting.push(event)
    if (this.#waiting.length > mostWaiting)
      this.#giveUp(this.#waiting.shift()!, 'too many events wait for this receiver')
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined
    })
  }

  /** Stops when all is taken, or after a moment; what was not taken by then is given up. */
  async close(): Promise<void> {
    const { goodbyeMs = usualGoodbyeMs } = this.#options
    const timer = setTimeout(() => this.#ending.abort(), goodbyeMs)
    await this.#sending
    clearTimeout(timer)
    this.#ending.abort()
    for (const event of this.#waiting.splice(0)) this.#giveUp(event, 'the server is stopping')
  }

  #giveUp(event: SentEvent, reason: string): void {
    this.#taken = { ...this.#taken, givenUp: this.#taken.givenUp + 1 }
    this.#options.onGivenUp(event, reason)
  }

  async #sendAll(): Promise<void> {
    for (let event = this.#waiting[0]; event && !this.#ending.signal.aborted; event = this.#waiting[0]) {
      const reason = await this.#sendUntilTaken(event)
      if (reason !== undefined && this.#ending.signal.aborted) return
      if (this.#waiting[0] === event) this.#waiting.shift()
      if (reason !== undefined) this.#giveUp(event, reason)
    }
  }

  /** Resolves with why it was given up, if it was. */
  async #sendUntilTaken(event: SentEvent): Promise<string | undefined> {
    const { attempts, ...policy } = this.#options.retry
    for (let attempt = 1; ; attempt += 1) {
      const answer = await this.#sendOnce(event, attempt)
      this.#remember(answer)
      if (answer.kind === 'taken') return undefined
      if (answer.kind === 'refused' || attempt === attempts || this.#ending.signal.aborted)
        return answer.reason
      const backoff = decideBackoff({ failures: attempt, isFinal: false, policy, random: Math.random() })
      await pause(Math.max(backoff, answer.retryAfterMs ?? 0), this.#ending.signal)
    }
  }

  #remember(answer: Answer): void {
    const at = new Date().toISOString()
    this.#taken =
      answer.kind === 'taken'
        ? { ...this.#taken, accepted: this.#taken.accepted + 1, acceptedAt: at, failure: null }
        : { ...this.#taken, failure: { at, reason: answer.reason } }
  }

  async #sendOnce(sent: SentEvent, attempt: number): Promise<Answer> {
    const { url, secret, format } = this.#options.hook
    const body = renderWebhook(sent, format)
    const nowMs = Date.now()
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'warren',
      'x-warren-event': sent.event.kind,
      'x-warren-id': sent.id,
      'x-warren-attempt': String(attempt),
      ...(secret !== undefined && { 'x-warren-signature': signWebhook({ secret, body, atMs: nowMs }) }),
    }
    const { signal, release } = joinSignals([this.#ending.signal], { timeoutMs })
    try {
      // A receiver that points elsewhere could have us ask an address that nobody configured.
      const answer = await fetch(url, { method: 'POST', body, headers, signal, redirect: 'manual' })
      await answer.body?.cancel()
      return judge(answer.status, parseRetryAfter(answer.headers.get('retry-after'), nowMs))
    } catch (error) {
      return { kind: 'failed', reason: saySendError(error), retryAfterMs: undefined }
    } finally {
      release()
    }
  }
}

function judge(status: number, retryAfterMs: number | undefined): Answer {
  if (status >= 200 && status < 300) return { kind: 'taken' }
  const reason = `it answered ${status}`
  const mayChange = status >= 500 || status === 408 || status === 429
  if (!mayChange) return { kind: 'refused', reason }
  const wait = retryAfterMs === undefined ? undefined : Math.min(retryAfterMs, longestWaitMs)
  return { kind: 'failed', reason, retryAfterMs: wait }
}
