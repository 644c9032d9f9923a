import http from 'node:http'
import https from 'node:https'
import { clearTimeout, requestHttp, setTimeout } from '../../world.ts'
import type { ManagementAddress } from './management-url.ts'

/** Certificates and names for https, as `node:tls` takes them. */
export type ManagementTls = Pick<
  https.AgentOptions,
  'ca' | 'cert' | 'key' | 'pfx' | 'passphrase' | 'servername' | 'rejectUnauthorized'
>

/** An open door to one server: its address, its pooled sockets and the bounds of each call. */
export interface HttpEndpoint {
  readonly address: ManagementAddress
  readonly agent: http.Agent
  readonly timeoutMs: number
  readonly maxResponseBytes: number
}

export interface HttpRequest {
  readonly path: string
  readonly signal?: AbortSignal | undefined
}

export interface HttpAnswer {
  readonly status: number
  readonly body: string
}

export class ResponseTooLarge extends Error {}
export class RequestTimeout extends Error {}

export function createAgent(fields: { isTls: boolean; maxSockets: number; tls: ManagementTls }): http.Agent {
  const { isTls, maxSockets, tls } = fields
  return isTls
    ? new https.Agent({ keepAlive: true, maxSockets, ...tls })
    : new http.Agent({ keepAlive: true, maxSockets })
}

/** One GET with one answer. One that meets a reset connection is sent once more, since it changes nothing. */
export async function sendHttpRequest(endpoint: HttpEndpoint, request: HttpRequest): Promise<HttpAnswer> {
  try {
    return await sendOnce(endpoint, request)
  } catch (error) {
    // A kept-alive socket that the server closes meanwhile is the usual reason.
    if (!isReset(error)) throw error
    return sendOnce(endpoint, request)
  }
}

async function sendOnce(endpoint: HttpEndpoint, request: HttpRequest): Promise<HttpAnswer> {
  request.signal?.throwIfAborted()
  const deadline = new AbortController()
  const timer = setTimeout(() => deadline.abort(new RequestTimeout()), endpoint.timeoutMs)
  const abort = () => {
    clearTimeout(timer) // whoever has gone home is not kept by it
    deadline.abort(request.signal?.reason)
  }
  request.signal?.addEventListener('abort', abort, { once: true })
  try {
    return await exchange(endpoint, request, deadline.signal)
  } catch (error) {
    throw deadline.signal.aborted ? deadline.signal.reason : error
  } finally {
    clearTimeout(timer)
    request.signal?.removeEventListener('abort', abort)
  }
}

function exchange(endpoint: HttpEndpoint, request: HttpRequest, signal: AbortSignal): Promise<HttpAnswer> {
  const { address, agent, maxResponseBytes } = endpoint
  return new Promise((resolve, reject) => {
    const outgoing = requestHttp({
      isTls: address.isTls,
      host: address.host,
      port: address.port,
      path: address.pathPrefix + request.path,
      headers: headersOf(address),
      agent,
      signal,
    })
    outgoing.on('error', reject)
    outgoing.on('response', (incoming) => {
      readBody(incoming, maxResponseBytes).then(
        (body) => resolve({ status: incoming.statusCode ?? 0, body }),
        reject,
      )
    })
    outgoing.end()
  })
}

function headersOf(address: ManagementAddress): Record<string, string> {
  const credentials = Buffer.from(`${address.username}:${address.password}`).toString('base64')
  return { accept: 'application/json, */*;q=0.1', authorization: `Basic ${credentials}` }
}

async function readBody(incoming: http.IncomingMessage, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  // Leaving the loop early destroys the socket, so the rest is not even received.
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxBytes) throw new ResponseTooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function isReset(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  return code === 'ECONNRESET' || code === 'EPIPE'
}
