import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { ApiError } from 'warrenmq/operations'
import type { Problem } from '../contract/contract.ts'
import { malformedProblem, methodNotAllowed, problemOf } from '../problems.ts'

/** What Node tells of a request that it cannot read. */
interface ClientError extends Error {
  readonly code?: string
  readonly rawPacket?: unknown
  readonly bytesParsed?: number
}

interface Connection {
  /** Requests that were read before, and whose answers are still to come. */
  readonly open: Set<ServerResponse>
  last: IncomingMessage | undefined
  isEnding: boolean
  onIdle: () => void
}

export interface MalformedAnswers {
  /** Knows from now on what was asked on each connection. */
  watch(server: Server): void
  /** Answers what is no HTTP, and ends the connection. */
  answer(error: ClientError, socket: Socket): void
}

/** How long those who asked before on the same connection may take to be answered. */
const mostWaitMs = 10_000
/** How long a client may take to read the answer. To cut the connection at once could take it away again. */
const lingerMs = 2_000

/**
 * Answers what the server of Node refuses before any route sees it. Each request gets one answer, in the order of asking:
 * behind requests that can be read and wait for theirs, and not instead of them, or whoever sends several at once would
 * take it for the answer to another one.
 */
export function createMalformedAnswers(): MalformedAnswers {
  const connections = new WeakMap<Duplex, Connection>()

  function connectionOf(socket: Duplex): Connection {
    const known = connections.get(socket)
    if (known) return known
    const made: Connection = { open: new Set(), last: undefined, isEnding: false, onIdle: () => {} }
    connections.set(socket, made)
    return made
  }

  function track(request: IncomingMessage, response: ServerResponse): void {
    const connection = connectionOf(request.socket)
    connection.last = request
    connection.open.add(response)
    response.once('close', () => {
      connection.open.delete(response)
      if (connection.open.size === 0) connection.onIdle()
    })
  }

  function end(socket: Duplex, problem: Problem, allow?: string): void {
    const connection = connectionOf(socket)
    if (connection.isEnding) return // what is sent after that is read by nobody
    connection.isEnding = true
    socket.on('error', () => {}) // it is ended anyway
    const isOfLast = failBody(connection.last, problem)
    const say = (): void => {
      clearTimeout(timer)
      if (socket.writable) socket.end(isOfLast ? undefined : renderAnswer(problem, allow))
      const linger = setTimeout(() => socket.destroy(), lingerMs)
      socket.once('close', () => clearTimeout(linger))
    }
    const timer = setTimeout(() => socket.destroy(), mostWaitMs)
    socket.once('close', () => clearTimeout(timer))
    if (connection.open.size === 0) say()
    else connection.onIdle = say
  }

  return {
    watch: (server) => {
      server.on('request', track)
      server.on('connect', (_request, socket) => end(socket, problemOf(methodNotAllowed('CONNECT', [])), ''))
      server.on('checkExpectation', (request, response) => {
        track(request, response)
        const problem = malformedProblem(417, 'Only 100-continue is understood in the header expect.')
        response.writeHead(problem.status, headersOf(problem)).end(JSON.stringify(problem))
      })
    },
    answer: (error, socket) => {
      if (error.code === 'ECONNRESET' || socket.destroyed) socket.destroy()
      else end(socket, describeError(error))
    },
  }
}

/** Whether the mistake is in the body of a request that a route is answering: then it is told there. */
function failBody(request: IncomingMessage | undefined, { detail: message }: Problem): boolean {
  if (!request || request.complete) return false
  const error = new ApiError({ code: 'API_HTTP_MALFORMED', message })
  // An error that nobody listens for would end the process.
  const tell = (): void => void (request.listenerCount('error') > 0 && request.emit('error', error))
  if (request.listenerCount('error') > 0) tell()
  // Nobody reads it yet: who asks is being looked up. Where nobody ever does, the request is answered without its body.
  else request.on('newListener', (event) => void (event === 'error' && process.nextTick(tell)))
  return true
}

function describeError({ code = '', rawPacket, bytesParsed = 0 }: ClientError): Problem {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return malformedProblem(408, 'The head of the request did not arrive in time.')
    case 'HPE_HEADER_OVERFLOW':
      return isInAddress(rawPacket, bytesParsed)
        ? malformedProblem(414, 'The address is too long. Shorten the query.')
        : malformedProblem(431, 'The headers are too large. Send fewer headers or smaller cookies.')
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return malformedProblem(413, 'The chunks of the body have too much extra data.')
    default:
      return malformedProblem(
        400,
        'This is not a readable HTTP/1.1 request. Check what your client or proxy sends.',
      )
  }
}

/** Whether the first line was not even at its end. */
function isInAddress(packet: unknown, bytesParsed: number): boolean {
  if (!Buffer.isBuffer(packet)) return false
  const read = packet.subarray(0, Math.max(bytesParsed, 1)).toString('latin1')
  return /^[A-Z]+ /.test(read) && !read.includes('\n')
}

function renderAnswer(problem: Problem, allow: string | undefined): string {
  const { status } = problem
  const headers = { ...headersOf(problem), ...(allow !== undefined && { allow }) }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', JSON.stringify(problem)].join('\r\n')
}

/** Beside the answer itself: that nobody keeps it, takes it for a page, or goes on. */
function headersOf(problem: Problem): Readonly<Record<string, string>> {
  return {
    'content-type': 'application/problem+json; charset=utf-8',
    'content-length': String(Buffer.byteLength(JSON.stringify(problem))),
    ...bareHeaders,
    connection: 'close',
    date: new Date().toUTCString(),
  }
}

/** Of answers that are made before a route is found. */
export const bareHeaders: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
}
