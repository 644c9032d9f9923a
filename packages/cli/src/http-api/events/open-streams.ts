import type { FastifyReply } from 'fastify'
import { ApiError } from 'warrenmq/operations'
import type { Caller } from '../auth/caller.ts'
import { refuseWithoutClient } from '../guards/refuse-without-broker.ts'
import { createRequestSlots } from '../guards/request-slots.ts'
import { sharesOf } from '../guards/shares-of.ts'
import type { EventSink } from './write-events.ts'

/** The streams of events that are open. */
export interface OpenStreams {
  /**
   * Begins one, which is counted until it is closed. Throws where there are as many as there may be, and where nobody waits
   * for it any more: such a response was closed before, and would be counted for ever.
   */
  open(caller: Caller, reply: FastifyReply): EventSink
}

export const mostStreams = 200
export const mostOfCaller = 50

export function createOpenStreams(): OpenStreams {
  const slots = createRequestSlots(mostStreams)
  return {
    open: (caller, reply) => {
      refuseWithoutClient(reply)
      const slot = slots.take(sharesOf(caller, { most: mostStreams, mostOfCaller }))
      if (!slot) throw tooMany()
      reply.raw.once('close', slot.giveBack)
      return sendHead(reply)
    },
  }
}

function tooMany(): ApiError {
  const message = 'Too many event streams are open. Close some, or poll the lists instead.'
  return new ApiError({ code: 'API_BUSY', message, retryAfterSeconds: 5 })
}

function sendHead(reply: FastifyReply): EventSink {
  reply.hijack()
  const { raw } = reply
  raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
    // nginx keeps answers back until it has enough of them.
    'x-accel-buffering': 'no',
  })
  return raw
}
