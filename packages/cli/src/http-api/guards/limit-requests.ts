import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from 'warrenmq/operations'
import { networkOf } from '../auth/network-of.ts'
import { sessionCookie } from '../auth/session-cookie.ts'
import { endpoints } from '../contract/endpoints.ts'
import type { Asker, RequestSlots, Slot } from './request-slots.ts'
import { sharesOf } from './shares-of.ts'
import { watchConnections } from './watch-connections.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Only who is known gets more than a refusal. */
    readonly asksWho?: boolean
  }
}

/** Asked by what kills a server that does not answer, which one that is merely busy must survive. */
const probes: readonly (string | undefined)[] = [endpoints.isAlive.path, endpoints.isReady.path]

/** Requests of one connection that wait for each other. Browsers send one at a time. */
const mostPerConnection = 20

/**
 * Answers 503 beyond so many requests at once, rather than getting slower for all. Nobody can take all of them: who
 * shows no credentials shares half of them, a fifth for each network, a caller has half of them, and callers of a role
 * leave some for the roles above.
 */
export function limitRequests(
  app: FastifyInstance,
  { slots, isOpen }: { readonly slots: RequestSlots; readonly isOpen: boolean },
): void {
  const slotOf = new WeakMap<FastifyRequest, Slot>()
  const watch = watchConnections()
  const shareOf = (part: number): number => Math.max(1, Math.floor(slots.most * part))

  function askersOf(request: FastifyRequest): readonly Asker[] {
    if (isOpen || mayBeKnown(request)) return []
    const network = { name: `network ${networkOf(request.ip)}`, most: shareOf(1 / 5) }
    return [{ name: 'strangers', most: shareOf(1 / 2) }, network]
  }

  app.addHook('onRequest', async (request, reply) => {
    // Reset before it was read, so that nobody knows any more from where it came, and nobody waits for the answer.
    if (request.raw.socket.remoteAddress === undefined) {
      reply.hijack()
      reply.raw.destroy()
      return
    }
    const waiting = watch(request.raw.socket, reply.raw)
    if (waiting > mostPerConnection) throw tooManyOn(reply)
    if (probes.includes(request.routeOptions.url)) return
    const slot = slots.take(askersOf(request))
    if (!slot) throw busy()
    slotOf.set(request, slot)
    // A response that the client breaks off is closed and never finished.
    reply.raw.once('finish', slot.giveBack).once('close', slot.giveBack)
  })

  // Who showed credentials that are none must not hold more than a stranger. A refusal is short, and waits without a slot.
  app.addHook('onError', async (request) => {
    if (!isOpen && !request.caller && mayBeKnown(request)) slotOf.get(request)?.giveBack()
  })

  // When it is known who asks, and before anything is read or done for them.
  app.addHook('preParsing', async (request) => {
    const { caller } = request
    if (isOpen || !caller) return
    const slot = slotOf.get(request)
    const shares = sharesOf(caller, { most: slots.most, mostOfCaller: shareOf(1 / 2) })
    if (slot && !shares.every((share) => slot.holdFor(share))) throw busy()
  })
}

/**
 * Whether the credentials are right is found out later; who shows none must not stand in the way of who does. Where
 * nobody finds out they make no difference: anybody can show some.
 */
function mayBeKnown({ headers, routeOptions }: FastifyRequest): boolean {
  if (routeOptions.config?.asksWho !== true) return false
  return headers.authorization !== undefined || headers.cookie?.includes(sessionCookie) === true
}

function tooManyOn(reply: FastifyReply): ApiError {
  reply.header('connection', 'close') // what else was asked for on it is not waited for
  return busy()
}

function busy(): ApiError {
  const message = 'The server is busy. Try again in a moment.'
  return new ApiError({ code: 'API_BUSY', message, retryAfterSeconds: 1 })
}
