import type { FastifyInstance } from 'fastify'
import type { ServedVhosts } from './served-vhosts.ts'

/** Hands requests for another vhost on, before anything of them is read: they are limited and checked there. */
export function leadToVhosts(app: FastifyInstance, vhosts: Pick<ServedVhosts<unknown>, 'doorTo'>): void {
  app.addHook('onRequest', (request, reply, done) => {
    const door = vhosts.doorTo(request.raw.url ?? '/')
    if (!door) {
      done()
      return
    }
    reply.hijack()
    request.raw.url = door.url
    door.handle(request.raw, reply.raw)
  })
}

/** A provider knows one address of the server, so whoever logs in there does so by the first vhost. */
export function loginAddress(url: string, vhosts: Pick<ServedVhosts<unknown>, 'doorTo'>): string {
  const door = vhosts.doorTo(url)
  return door?.url.startsWith('/api/v1/oidc/') ? door.url : url
}
