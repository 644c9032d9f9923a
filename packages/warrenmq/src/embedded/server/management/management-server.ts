import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { WarrenError } from '../../../errors.ts'
import type { User } from '../../model/access/access.ts'
import { ProtocolError } from '../../model/protocol-error.ts'
import { checkPassword } from '../authenticate.ts'
import { listen } from '../listen.ts'
import {
  type ApiAnswer,
  ApiRefusal,
  type ApiScope,
  badRequest,
  type JsonObject,
  notFound,
} from './api-request.ts'
import { checkRouteAccess } from './check-route-access.ts'
import { findRoute } from './routes.ts'

/** The part of RabbitMQ's HTTP API that the embedded broker has. */
export interface ManagementServer {
  readonly port: number
  /** Ends every connection and accepts none, for good or until `reopen`, on the same port. */
  stop(): Promise<void>
  reopen(): Promise<void>
}

const maxBodyBytes = 64 * 1024 * 1024

/** Listens on loopback only; port 0 lets the system choose. */
export async function startManagementServer(
  scope: Omit<ApiScope, 'managementPort'>,
  { port, report }: { port: number; report: (error: unknown) => void },
): Promise<ManagementServer> {
  let boundPort = port
  const fullScope: ApiScope = { ...scope, managementPort: () => boundPort }
  const server = createServer((request, response) => {
    void answerRequest(fullScope, request, report).then((result) => send(response, result))
  })
  boundPort = await listen(server, port)
  return {
    port: boundPort,
    stop: async () => {
      if (!server.listening) return
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
    reopen: async () => {
      if (!server.listening) await listen(server, boundPort)
    },
  }
}

/** What is read of a request, however it came. */
export type ManagementRequest = Pick<IncomingMessage, 'url' | 'method' | 'headers'> & AsyncIterable<Buffer>

/** Answers one request; a refusal is an answer, too. */
export async function answerRequest(
  scope: ApiScope,
  request: ManagementRequest,
  report: (error: unknown) => void,
): Promise<ApiAnswer> {
  try {
    return await answer(scope, request)
  } catch (error) {
    return explain(error, report)
  }
}

async function answer(scope: ApiScope, request: ManagementRequest): Promise<ApiAnswer> {
  const url = new URL(request.url ?? '/', 'http://localhost')
  const [root, ...segments] = url.pathname.replace(/\/$/, '').split('/').slice(1)
  if (root !== 'api') throw notFound()
  const user = authenticateUser(scope, request.headers.authorization)
  const route = findRoute(request.method ?? 'GET', segments)
  if (route.kind === 'unknown') throw notFound()
  if (route.kind === 'wrong-method') return { status: 405 }
  if (route.kind === 'not-modelled') throw notModelled(url.pathname)
  checkRouteAccess(route.access, { ...scope, user, vhost: route.params[0] })
  const body = await readBody(request)
  return scope.broker.inbox.run(() =>
    route.handler({
      ...scope,
      user,
      method: request.method ?? 'GET',
      params: route.params,
      query: url.searchParams,
      reason: headerText(request.headers['x-reason']),
      body,
    }),
  )
}

function notModelled(path: string): ApiRefusal {
  return new ApiRefusal(501, 'not_implemented', `${path} is not modelled by the embedded broker`)
}

function headerText(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : value?.[0]
}

function authenticateUser({ broker }: ApiScope, header: string | undefined): User {
  const [scheme, encoded = ''] = (header ?? '').split(' ')
  const [, name = '', password = ''] =
    /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString('utf8')) ?? []
  const user = scheme?.toLowerCase() === 'basic' ? checkPassword(broker, name, password) : undefined
  if (!user) throw new ApiRefusal(401, 'not_authorized', 'Not_Authorized')
  return user
}

async function readBody(request: ManagementRequest): Promise<JsonObject> {
  const bytes = await readBytes(request)
  if (bytes.length === 0) return {}
  try {
    const json: unknown = JSON.parse(bytes.toString('utf8'))
    if (typeof json === 'object' && json !== null && !Array.isArray(json)) return json as JsonObject
  } catch {
    throw badRequest('not_json')
  }
  throw badRequest('not_json')
}

async function readBytes(request: ManagementRequest): Promise<Buffer> {
  const pieces: Buffer[] = []
  let size = 0
  try {
    for await (const piece of request) {
      size += piece.length
      if (size > maxBodyBytes) throw new ApiRefusal(413, 'payload_too_large', 'the request is too large')
      pieces.push(piece)
    }
  } catch (error) {
    if (error instanceof ApiRefusal) throw error
    // The connection ended within the request: nobody hears this answer, and it is no mistake of the broker.
    throw badRequest('incomplete')
  }
  return Buffer.concat(pieces)
}

function send(response: ServerResponse, { status, json, headers }: ApiAnswer): void {
  const body = json === undefined ? '' : JSON.stringify(json)
  const needsLogin = status === 401 ? { 'www-authenticate': 'Basic realm="RabbitMQ Management"' } : {}
  response.writeHead(status, {
    ...(json === undefined ? {} : { 'content-type': 'application/json' }),
    'content-length': Buffer.byteLength(body),
    ...needsLogin,
    ...headers,
  })
  response.end(body)
}

function explain(error: unknown, report: (error: unknown) => void): ApiAnswer {
  if (error instanceof ApiRefusal) {
    return { status: error.status, json: { error: error.error, reason: error.message } }
  }
  if (error instanceof ProtocolError) return explainProtocolError(error)
  if (error instanceof WarrenError || error instanceof URIError || error instanceof SyntaxError) {
    return { status: 400, json: { error: 'bad_request', reason: error.message } }
  }
  report(error)
  return { status: 500, json: { error: 'internal_server_error', reason: String(error) } }
}

function explainProtocolError(error: ProtocolError): ApiAnswer {
  const status = error.condition === 'NOT_FOUND' ? 404 : error.condition === 'ACCESS_REFUSED' ? 401 : 400
  const name = status === 400 ? 'bad_request' : status === 404 ? 'not_found' : 'not_authorised'
  // Whoever may not do something is not told what it was.
  return { status, json: { error: name, reason: status === 401 ? 'Access refused.' : error.message } }
}
