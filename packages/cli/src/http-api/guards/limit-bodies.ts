import { PassThrough, type Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ApiError } from 'warrenmq/operations'
import { networkOf } from '../auth/network-of.ts'
import { type ComingBody, type ComingLimits, decideEvicted } from './decide-evicted.ts'

export interface BodyLimits {
  /** How long a body may take to come; of an upload, how long nothing of it may come. */
  readonly timeoutMs: number
  /** Bodies on their way at once of callers whom nobody knows yet; the oldest is given up for a new one. */
  readonly ofStrangers: ComingLimits
  /** Takes bodies for as long as they come. */
  readonly isUpload: (request: FastifyRequest) => boolean
}

interface StrangersBody extends ComingBody {
  readonly giveUp: (why: Error) => void
}

/** Gives up bodies that do not come to their end, and lets strangers hold up nobody with theirs. */
export function limitBodies(app: FastifyInstance, limits: BodyLimits): void {
  const ofStrangers = new Set<StrangersBody>()
  cutUnread(app, limits.timeoutMs)
  app.addHook('preParsing', async (request, reply, payload) => {
    if (!hasBody(request)) return payload
    const passed = new PassThrough()
    const giveUp = (why: Error): void => {
      if (!reply.sent) reply.header('connection', 'close')
      passed.destroy(why)
    }
    if (request.caller === undefined) {
      const body = { network: networkOf(request.ip), giveUp }
      ofStrangers.add(body)
      passed.once('close', () => ofStrangers.delete(body))
      decideEvicted([...ofStrangers], limits.ofStrangers)?.giveUp(tooManyLogIn())
    }
    passInTime(payload as Readable, passed, {
      timeoutMs: limits.timeoutMs,
      isUpload: limits.isUpload(request),
      giveUp,
    })
    // Where nobody reads the body, its end is that of the answer.
    reply.raw.once('close', () => passed.destroy())
    return passed
  })
}

function tooManyLogIn(): ApiError {
  const message = 'Too many logins right now. Try again.'
  return new ApiError({ code: 'API_BUSY', message, retryAfterSeconds: 1 })
}

export function hasBody({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/** A body that nobody reads, since its sender was answered before, must not hold the connection for ever. */
function cutUnread(app: FastifyInstance, timeoutMs: number): void {
  app.addHook('onResponse', async (request) => {
    const { raw } = request
    const hasCome = (): boolean => raw.complete || raw.readableEnded
    if (!hasBody(request) || hasCome()) return
    raw.unpipe().resume() // who sends all before reading is to come to the answer
    const timer = setTimeout(() => {
      if (!hasCome()) raw.socket.destroy()
    }, timeoutMs)
    raw.once('close', () => clearTimeout(timer))
    timer.unref()
  })
}

/** Passes the body on, which fails where it takes too long. The connection itself stays, so that its sender can be told. */
function passInTime(
  payload: Readable,
  passed: PassThrough,
  { timeoutMs, isUpload, giveUp }: { timeoutMs: number; isUpload: boolean; giveUp: (why: Error) => void },
): void {
  const timer = setTimeout(() => giveUp(refused(408, 'The body did not arrive in time')), timeoutMs)
  if (isUpload) payload.on('data', () => timer.refresh())
  passed.once('close', () => clearTimeout(timer))
  passed.on('error', () => {}) // told to whoever reads it, if anybody does
  payload.once('error', giveUp)
  payload.once('close', () => {
    if (!payload.readableEnded) passed.destroy(refused(400, 'The body was cut off'))
  })
  payload.pipe(passed)
}

function refused(statusCode: number, message: string): Error {
  return Object.assign(new Error(message), { statusCode })
}
