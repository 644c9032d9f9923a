import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { Endpoint, EndpointList } from '../../../packages/cli/src/http-api/contract/endpoint.ts'
import { endpoints } from '../../../packages/cli/src/http-api/contract/endpoints.ts'
import { problemsOf } from '../../../packages/cli/src/http-api/contract/problems-of.ts'

const list: EndpointList = endpoints
const operations = Object.entries(list).map(([name, endpoint]) => ({
  name,
  methods: methodsOf(endpoint),
  codes: new Set(problemsOf(endpoint)),
  pattern: new RegExp(`^${endpoint.path.replaceAll(/:\w+/g, '[^/]*')}$`),
}))

/**
 * Sees every problem that a server answers with, by `inject` and over the network. Gives those whose code the
 * operation does not declare, so that a test can fail for them.
 */
export function watchProblems(app: FastifyInstance): () => readonly string[] {
  const undeclared = new Set<string>()
  const see = ({ method = '', url = '' }: Seen, body: string): void => {
    const code = codeOf(body)
    const path = url.split('?')[0]!.replace(/^https?:\/\/[^/]+/, '')
    const operation = operations.find((each) => each.methods.includes(method) && each.pattern.test(path))
    if (operation && code !== undefined && !operation.codes.has(code))
      undeclared.add(`${operation.name}: ${code}`)
  }
  const inject = app.inject.bind(app) as (...given: unknown[]) => unknown
  const watched = (given?: Asked | string, ...rest: unknown[]): unknown => {
    const answered = inject(given, ...rest)
    if (given === undefined || !isPromised(answered)) return answered
    const asked = typeof given === 'string' ? { method: 'GET', url: given } : { method: 'GET', ...given }
    void answered.then(
      (answer) => lookAt(asked, answer, see),
      () => {}, // the test is told
    )
    return answered
  }
  app.inject = watched as typeof app.inject
  app.server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    const end = response.end.bind(response) as (...given: unknown[]) => ServerResponse
    response.end = ((...given: unknown[]) => {
      if (typeof given[0] === 'string') see(request, given[0])
      return end(...given)
    }) as typeof response.end
  })
  return () => [...undeclared]
}

/** Another method is no request for the operation. */
function methodsOf({ method, actsOnGet }: Endpoint): readonly string[] {
  return method === 'GET' && !actsOnGet ? ['GET', 'HEAD'] : [method]
}

interface Asked {
  readonly method?: string | undefined
  readonly url?: unknown
}
interface Seen {
  readonly method?: string | undefined
  readonly url?: string | undefined
}
type See = (asked: Seen, body: string) => void
interface Injected {
  readonly body?: string
}

/** Without a callback it is a promise, but none of JavaScript's own. */
function isPromised(answered: unknown): answered is PromiseLike<Injected> {
  return typeof (answered as { then?: unknown } | undefined)?.then === 'function'
}

function lookAt({ method, url }: Asked, answer: Injected, see: See): void {
  if (typeof url === 'string') see({ method, url }, answer.body ?? '')
}

function codeOf(body: string): string | undefined {
  return /^\{"type":"urn:warren:problem:(\w+)"/.exec(body)?.[1]
}
