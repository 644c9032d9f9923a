import helmet from '@fastify/helmet'
import type { FastifyInstance } from 'fastify'

/**
 * Adds what tells browsers to be careful. Helmet works it out anew for each answer, and comes to the same each time:
 * that would be a third of what it costs to answer who polls.
 */
export async function secureHeaders(app: FastifyInstance): Promise<void> {
  let known: readonly (readonly [string, string])[] | undefined
  // A page that is asked for by plain HTTP has its parts there, too. Browsers obey this for every name but localhost, and
  // would ask for them where nobody answers. Who serves by TLS has the proxy say so, which knows that it does.
  const contentSecurityPolicy = { directives: { upgradeInsecureRequests: null } }
  await app.register(helmet, { global: false, contentSecurityPolicy })
  app.addHook('onRequest', async (_request, reply) => {
    const { raw } = reply
    if (known) for (const [name, value] of known) raw.setHeader(name, value)
    else {
      reply.helmet()
      known = Object.entries(raw.getHeaders()).map(([name, value]) => [name, String(value)])
    }
  })
}
