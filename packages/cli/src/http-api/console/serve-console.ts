import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import files from '@fastify/static'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { placePage } from './place-page.ts'

/** Where the pages are. */
export const consolePath = '/console/'

/** All that a page loads, asks and sends to comes from where it came from itself. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

/** Serves the console that was built into this folder. Without one there is none: tests run from the sources. */
export async function serveConsole(app: FastifyInstance, folder: string): Promise<void> {
  const file = join(folder, 'index.html')
  if (!existsSync(file)) return
  const page = readFileSync(file, 'utf8')
  await app.register(async (scope) => {
    await scope.register(files, {
      root: join(folder, 'assets'),
      prefix: `${consolePath}assets/`,
      index: false,
      decorateReply: false,
      // Their names tell their content, and they were compressed when they were built.
      preCompressed: true,
      // Caches on the way keep them for a year, and must not hand one coding to a browser that reads only another.
      setHeaders: (response) => void response.setHeader('vary', 'accept-encoding'),
      immutable: true,
      maxAge: '1y',
    })
    // Relative, since a proxy may have taken off a part of the path.
    scope.get(consolePath.slice(0, -1), (_request, reply) => reply.redirect('console/'))
    scope.get(`${consolePath}*`, (request, reply) => sendPage(reply, placePage(page, request.url)))
  })
}

/** Every address of the console is the same page: what it shows is decided in the browser. */
function sendPage(reply: FastifyReply, page: string): FastifyReply {
  return reply
    .headers({ 'content-security-policy': policy, 'cache-control': 'no-cache' })
    .type('text/html; charset=utf-8')
    .send(page)
}
