import type { FastifyReply } from 'fastify'
import { ApiError } from 'warrenmq/operations'
import type { Caller } from '../auth/caller.ts'
import type { EventSink } from './write-events.ts'

/** The streams of events that are open. */
export interface OpenStreams {
  /** Begins one, which is counted until it is closed. Throws where there are as many as there may be. */
  open(caller: Caller, reply: FastifyReply): EventSink
}

export const mostStreams = 200
const mostOfCaller = 50

export function createOpenStreams(): OpenStreams {
  const streams = new Set<{ readonly of: string }>()
  return {
    open: (caller, reply) => {
      const stream = { of: `${caller.wayIn} ${caller.name}` }
      const ofCaller = [...streams].filter(({ of }) => of === stream.of)
      if (streams.size >= mostStreams || ofCaller.length >= mostOfCaller) throw tooMany()
      streams.add(stream)
      reply.raw.once('close', () => streams.delete(stream))
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
