import { isIP } from 'node:net'
import cookie from '@fastify/cookie'
import etag from '@fastify/etag'
import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import createFastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
} from 'fastify'
import { ApiError } from 'warrenmq/operations'
import type { AddRoutes, ApiContext } from './api-context.ts'
import type { Caller } from './auth/caller.ts'
import { sessionCookie } from './auth/session-cookie.ts'
import { serveConsole } from './console/serve-console.ts'
import { describeApi } from './contract/describe-api.ts'
import { endpoints } from './contract/endpoints.ts'
import { explainRequest } from './contract/explain-request.ts'
import { type ContextOptions, createContext } from './create-context.ts'
import { describeFailure } from './failure-log.ts'
import { limitBodies } from './guards/limit-bodies.ts'
import { limitRequests } from './guards/limit-requests.ts'
import { bareHeaders, createMalformedAnswers } from './guards/malformed-answers.ts'
import { createMethodTable } from './guards/method-table.ts'
import { readUtf8 } from './guards/read-utf8.ts'
import { refuseBadHost } from './guards/refuse-bad-host.ts'
import { refuseDeepJson } from './guards/refuse-deep-json.ts'
import { secureHeaders } from './guards/secure-headers.ts'
import { methodNotAllowed, problemOf, problemOfCode, retryAfterOf } from './problems.ts'
import { type PublicPath, takeOffOrigin, takeOffPath } from './public-path.ts'
import type { ServerSettings } from './read-server-section.ts'
import { routeAdder } from './route-adder.ts'
import { addAdminDlqRoutes } from './routes/admin-dlq.ts'
import { addApprovalRoutes } from './routes/approvals.ts'
import { addAuditRoutes } from './routes/audit.ts'
import { addBackupRoutes } from './routes/backups.ts'
import { addBrokerRoutes } from './routes/broker.ts'
import { addDemoRoutes } from './routes/demo.ts'
import { addDlqRoutes } from './routes/dlqs.ts'
import { addEditRoutes } from './routes/edits.ts'
import { addEventRoutes } from './routes/events.ts'
import { addHistoryRoutes } from './routes/history.ts'
import { addLoginLinkRoutes } from './routes/login-link.ts'
import { addNoteRoutes } from './routes/notes.ts'
import { addOidcRoutes } from './routes/oidc.ts'
import { addOperationRoutes } from './routes/operation.ts'
import { addRedriveRoutes } from './routes/redrives.ts'
import { addSessionRoutes } from './routes/session.ts'
import { addSnapshotRoutes } from './routes/snapshots.ts'
import { addStartRoutes } from './routes/start.ts'
import { addTaskRoutes } from './routes/tasks.ts'
import { addTopologyRoutes } from './routes/topology.ts'
import { addTrafficRoutes } from './routes/traffic.ts'
import { webhookRoutes } from './routes/webhooks.ts'
import { leadToVhosts, loginAddress } from './vhosts/lead-to-vhosts.ts'
import { ServedVhosts } from './vhosts/served-vhosts.ts'
import { startWebhooks } from './webhooks/start-webhooks.ts'

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | undefined
  }
}

export interface ApiServerOptions extends Omit<ContextOptions, 'vhosts'> {
  /** The folder of the built console. @default none */
  readonly consoleFolder?: string
  /** Of the server that this one is a part of. @default this one alone */
  readonly vhosts?: ServedVhosts<ApiContext>
  /** Ends what belongs to it, while its own tasks end. */
  readonly beforeClose?: () => Promise<void>
  /** @default no log */
  readonly logger?: FastifyServerOptions['logger']
}

const resources: readonly AddRoutes[] = [
  addStartRoutes,
  addOperationRoutes,
  addSessionRoutes,
  addOidcRoutes,
  addLoginLinkRoutes,
  addBrokerRoutes,
  addDlqRoutes,
  addSnapshotRoutes,
  addHistoryRoutes,
  addTrafficRoutes,
  addRedriveRoutes,
  addEditRoutes,
  addBackupRoutes,
  addApprovalRoutes,
  addNoteRoutes,
  addTaskRoutes,
  addEventRoutes,
  addTopologyRoutes,
  addAuditRoutes,
  addAdminDlqRoutes,
  addDemoRoutes,
]

/** How long requests may take to come to their end when the server is told to stop. */
const mostGoodbyeMs = 10_000

/** The admin API, ready to listen. Closing it ends its tasks with their receipts; the connection is its caller's. */
export async function createApiServer(options: ApiServerOptions): Promise<FastifyInstance> {
  const { settings, broker } = options
  const { vhosts = new ServedVhosts<ApiContext>([broker.vhost]) } = options
  const isFirst = vhosts.pathOf(broker.vhost) === ''
  const leadLogin = (url: string): string => (isFirst ? loginAddress(url, vhosts) : url)
  const malformed = createMalformedAnswers()
  const app = createFastify({
    logger: withoutQueries(options.logger),
    bodyLimit: settings.maxBodyBytes,
    rewriteUrl: ({ url = '/' }) => leadLogin(takeOffPath(takeOffOrigin(url), settings.publicPath)),
    forceCloseConnections: true,
    // It would cut uploads that are still coming. Headers have Node's own limit, and bodies that of limit-bodies.
    requestTimeout: 0,
    // Also the time to close would be limited by it, which is up to the tasks that end then.
    pluginTimeout: 0,
    trustProxy: settings.trustedProxies.length === 0 ? false : [...settings.trustedProxies],
    http: {
      maxHeaderSize: 16 * 1024 + vhosts.mostBytesOfOtherCookies,
      requireHostHeader: false, // Node refuses without a word; see refuse-bad-host.ts
      connectionsCheckingInterval: 5_000,
    },
    clientErrorHandler: (error, socket) => malformed.answer(error, socket),
    // A queue name has up to 255 bytes, and each may be written as three characters.
    routerOptions: { maxParamLength: 3 * 255 },
    // What is said nowhere is refused and not taken off; see shapes.ts.
    // With the schema that a value does not fit, a mistake can be told by name.
    // Nothing is made to fit: what is asked for must be what is done. Queries are read by read-query.ts.
    // `style` and `explode` are words of OpenAPI; see listOf.
    ajv: {
      customOptions: {
        coerceTypes: false,
        removeAdditional: false,
        useDefaults: false,
        verbose: true,
        keywords: ['style', 'explode'],
      },
    },
    schemaErrorFormatter: (mistakes, place) => new Error(explainRequest(mistakes, place)),
    // What the router itself refuses reaches no error handler.
    frameworkErrors: sendProblem,
  })
  const context = await createContext({ ...options, vhosts }, app.log)
  const webhooks = startWebhooks(context, app.log)
  app.decorateRequest('caller', undefined)
  if (isFirst) leadToVhosts(app, vhosts)
  malformed.watch(app.server)
  answerWithProblems(app)
  nameWithPath(app, settings.publicPath)
  limitRequests(app, { slots: context.slots, isOpen: settings.isOpen })
  refuseBadHost(app)
  limitBodies(app, {
    timeoutMs: settings.bodyTimeoutMs,
    ofStrangers: {
      most: Math.max(1, Math.floor(settings.maxRequests / 5)),
      mostOfNetwork: Math.max(1, Math.floor(settings.maxRequests / 25)),
    },
    isUpload: ({ routeOptions }) => routeOptions.url === endpoints.restoreBackup.path,
  })
  readJsonBodies(app)
  await addPlugins(app, options.version)
  if (settings.hasConsole && options.consoleFolder) await serveConsole(app, options.consoleFolder)
  await app.register(async (scope) => {
    const add = routeAdder(scope, context)
    for (const addRoutes of [...resources, webhookRoutes(webhooks)]) addRoutes(add, context, scope)
  })
  app.addHook('preClose', async () => {
    const { tasks, history, snapshots } = context
    await Promise.all([options.beforeClose?.(), tasks.close(), history.close(), snapshots.close()])
    await webhooks.close() // last: also of tasks that end now
    // Then all connections are cut, those too on which nobody has asked anything yet.
    await context.slots.whenIdle(mostGoodbyeMs)
  })
  app.addHook('onClose', async () => {
    await Promise.all([context.audit.close(), context.notices.close()])
    context.strays.close()
  })
  await app.ready()
  return app
}

/** An address that an answer names leads back through the same proxy. */
function nameWithPath(app: FastifyInstance, publicPath: PublicPath): void {
  if (publicPath === '') return
  app.addHook('onSend', async (_request, reply) => {
    const location = reply.getHeader('location')
    if (typeof location === 'string' && /^\/(?!\/)/.test(location))
      reply.header('location', `${publicPath}${location}`)
  })
}

/**
 * A body that is sent in pieces may have none, and is then no body; whoever sends it cannot know that beforehand. One that
 * is nested without end is refused before anything walks it, and so is one whose bytes would have to be made into others.
 */
function readJsonBodies(app: FastifyInstance): void {
  const json = 'application/json'
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeContentTypeParser(json)
  app.addContentTypeParser<Buffer>(json, { parseAs: 'buffer' }, (request, body, done) => {
    if (body.length === 0) {
      done(null, undefined)
      return
    }
    try {
      const text = readUtf8(body)
      refuseDeepJson(text)
      void parse(request, text, done)
    } catch (error) {
      done(error as ApiError)
    }
  })
}

/** A query may hold what somebody looks for in payloads, or a secret that does not belong there. */
function withoutQueries(
  logger: FastifyServerOptions['logger'] = false,
): NonNullable<FastifyServerOptions['logger']> {
  if (typeof logger !== 'object') return logger
  const req = ({ method, url, ip: remoteAddress }: FastifyRequest) => ({
    method,
    url: url.split('?')[0] ?? '',
    remoteAddress,
  })
  return { ...logger, serializers: { req } }
}

/** Listens. Elsewhere than on this machine only where callers are asked who they are. */
export async function listen(app: FastifyInstance, settings: ServerSettings): Promise<string> {
  const { host, port, isOpen } = settings
  if (isOpen && !isLoopback(host)) {
    const message = `With auth: 'none', anybody who reaches ${host} could move your messages. Require credentials, or listen on 127.0.0.1.`
    throw new ApiError({ code: 'SERVER_UNPROTECTED', message })
  }
  try {
    return await app.listen({ host, port })
  } catch (cause) {
    const message = `Cannot listen on ${host}:${port}: ${(cause as Error).message}. Name another with --host and --port.`
    throw new ApiError({ code: 'SERVER_PORT_UNAVAILABLE', message }, { cause })
  }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
}

function answerWithProblems(app: FastifyInstance): void {
  app.setErrorHandler(sendProblem)
  const table = createMethodTable()
  app.addHook('onRoute', ({ url, method }) => table.add(url, [method].flat()))
  app.setNotFoundHandler((request, reply) => {
    const allowed = table.allowedAt(request.url.split('?')[0] ?? '')
    // A file of the console that is not there is asked for in the right way.
    if (allowed.length === 0 || allowed.includes(request.method))
      return sendProblem({ statusCode: 404 }, request, reply)
    reply.header('allow', allowed.join(', '))
    return sendProblem(methodNotAllowed(request.method, allowed), request, reply)
  })
}

function sendProblem(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const problem = problemOf(error)
  if (problem.status >= 500)
    request.log.error(problem.status === 500 ? { err: error } : describeFailure(error), 'a request failed')
  const retryAfter = retryAfterOf(error)
  if (retryAfter !== undefined) reply.header('retry-after', retryAfter)
  if (problem.status === 401) reply.header('www-authenticate', 'Bearer realm="warren"')
  if (!reply.raw.hasHeader('content-security-policy')) reply.headers(bareHeaders) // it came to no route
  reply.header('cache-control', 'no-store')
  reply.code(problem.status).type('application/problem+json').send(problem)
}

async function addPlugins(app: FastifyInstance, version: string): Promise<void> {
  await app.register(cookie)
  await secureHeaders(app)
  await app.register(etag)
  await app.register(swagger, {
    mode: 'static',
    specification: {
      document: describeApi({ endpoints, version, sessionCookie, problemOf: problemOfCode }) as never,
    },
  })
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: true,
    // See secure-headers.ts. Nothing of a page comes from elsewhere, and nobody elsewhere is told of it.
    transformStaticCSP: (policy) =>
      policy.replace(/ *upgrade-insecure-requests;| validator\.swagger\.io/g, ''),
  })
}
