import type { Endpoint } from './endpoint.ts'
import {
  ofAll,
  ofAudit,
  ofBroker,
  ofCallers,
  ofChanges,
  ofFiles,
  ofKeys,
  ofLooks,
  ofQueues,
} from './problem-codes.ts'
import { takesKey } from './takes-key.ts'

/** Every code that an endpoint may answer with. A test that gets another one fails. */
export function problemsOf(endpoint: Endpoint): readonly string[] {
  const { method, needs, params, query, body, accepts, mediaType, tag, problems = [] } = endpoint
  const namesQueue = [params, query, body].some((schema) => hasQueue(schema))
  const codes: readonly string[] = [
    ...ofAll,
    ...(needs === 'anyone' ? [] : ofCallers),
    ...(method === 'GET' ? [] : ofChanges),
    // Who reads the log, or takes messages away as a file, is written down.
    ...(needs === 'audit:read' || mediaType === 'application/gzip' ? ofAudit : []),
    ...(takesKey(endpoint) ? ofKeys : []),
    ...(namesQueue ? ofQueues : []),
    ...(endpoint.looks ? ofLooks : []),
    ...(accepts || tag === 'backups' ? ofFiles : []),
    ...problems,
    ...(endpoint.asksBroker ? ofBroker : []),
  ]
  return [...new Set(codes)]
}

function hasQueue(schema: unknown): boolean {
  const { properties = {} } = (schema ?? {}) as { properties?: object }
  return Object.hasOwn(properties, 'queue')
}
