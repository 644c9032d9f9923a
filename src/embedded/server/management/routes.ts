import type { ApiAnswer, ApiRequest } from './api-request.ts'
import {
  deleteBinding,
  listBindings,
  listBindingsBetween,
  listDestinationBindings,
  listQueueBindings,
  listSourceBindings,
  postBinding,
  showBinding,
} from './bindings-api.ts'
import { alarms, aliveness, clusterName, featureFlags, healthy, listNodes, overview } from './cluster-api.ts'
import { closeConnection, listChannels, listConnections, showConnection } from './connections-api.ts'
import { listExchanges, putExchange, removeExchangeByApi, showExchange } from './exchanges-api.ts'
import { exportDefinitions, exportVhostDefinitions } from './export-definitions.ts'
import { importDefinitions, importVhostDefinitions } from './import-definitions.ts'
import { getMessages, publishMessage } from './messages-api.ts'
import { policiesApi } from './policies-api.ts'
import { listQueues, purgeQueueByApi, putQueue, removeQueueByApi, showQueue } from './queues-api.ts'
import {
  deletePermission,
  deleteUser,
  listPermissions,
  listUserPermissions,
  listUsers,
  listVhostPermissions,
  putPermission,
  putUser,
  showPermission,
  showUser,
  whoAmI,
} from './users-api.ts'
import { deleteVhost, listVhosts, putVhost, showVhost } from './vhosts-api.ts'

export type ApiHandler = (request: ApiRequest) => ApiAnswer

const policies = policiesApi('policies')
const operatorPolicies = policiesApi('operatorPolicies')

/** Method, path with a `*` for each name, and who answers. */
const routes: readonly (readonly [method: string, path: string, handler: ApiHandler])[] = [
  ['GET', 'overview', overview],
  ['GET', 'whoami', whoAmI],
  ['GET', 'nodes', listNodes],
  ['GET', 'cluster-name', clusterName],
  ['GET', 'feature-flags', featureFlags],
  ['GET', 'aliveness-test/*', aliveness],
  ['GET', 'health/checks/alarms', alarms],
  ['GET', 'health/checks/local-alarms', alarms],
  ['GET', 'health/checks/virtual-hosts', healthy],
  ['GET', 'definitions', exportDefinitions],
  ['POST', 'definitions', importDefinitions],
  ['GET', 'definitions/*', exportVhostDefinitions],
  ['POST', 'definitions/*', importVhostDefinitions],
  ['GET', 'vhosts', listVhosts],
  ['GET', 'vhosts/*', showVhost],
  ['PUT', 'vhosts/*', putVhost],
  ['DELETE', 'vhosts/*', deleteVhost],
  ['GET', 'vhosts/*/permissions', listVhostPermissions],
  ['GET', 'users', listUsers],
  ['GET', 'users/*', showUser],
  ['PUT', 'users/*', putUser],
  ['DELETE', 'users/*', deleteUser],
  ['GET', 'users/*/permissions', listUserPermissions],
  ['GET', 'permissions', listPermissions],
  ['GET', 'permissions/*/*', showPermission],
  ['PUT', 'permissions/*/*', putPermission],
  ['DELETE', 'permissions/*/*', deletePermission],
  ['GET', 'policies', policies.list],
  ['GET', 'policies/*', policies.list],
  ['GET', 'policies/*/*', policies.show],
  ['PUT', 'policies/*/*', policies.put],
  ['DELETE', 'policies/*/*', policies.remove],
  ['GET', 'operator-policies', operatorPolicies.list],
  ['GET', 'operator-policies/*', operatorPolicies.list],
  ['GET', 'operator-policies/*/*', operatorPolicies.show],
  ['PUT', 'operator-policies/*/*', operatorPolicies.put],
  ['DELETE', 'operator-policies/*/*', operatorPolicies.remove],
  ['GET', 'queues', listQueues],
  ['GET', 'queues/*', listQueues],
  ['GET', 'queues/*/*', showQueue],
  ['PUT', 'queues/*/*', putQueue],
  ['DELETE', 'queues/*/*', removeQueueByApi],
  ['DELETE', 'queues/*/*/contents', purgeQueueByApi],
  ['GET', 'queues/*/*/bindings', listQueueBindings],
  ['POST', 'queues/*/*/get', getMessages],
  ['GET', 'exchanges', listExchanges],
  ['GET', 'exchanges/*', listExchanges],
  ['GET', 'exchanges/*/*', showExchange],
  ['PUT', 'exchanges/*/*', putExchange],
  ['DELETE', 'exchanges/*/*', removeExchangeByApi],
  ['GET', 'exchanges/*/*/bindings/source', listSourceBindings],
  ['GET', 'exchanges/*/*/bindings/destination', listDestinationBindings],
  ['POST', 'exchanges/*/*/publish', publishMessage],
  ['GET', 'bindings', listBindings],
  ['GET', 'bindings/*', listBindings],
  ['GET', 'bindings/*/e/*/*/*', listBindingsBetween],
  ['POST', 'bindings/*/e/*/*/*', postBinding],
  ['GET', 'bindings/*/e/*/*/*/*', showBinding],
  ['DELETE', 'bindings/*/e/*/*/*/*', deleteBinding],
  ['GET', 'connections', listConnections],
  ['GET', 'vhosts/*/connections', listConnections],
  ['GET', 'connections/*', showConnection],
  ['DELETE', 'connections/*', closeConnection],
  ['GET', 'channels', listChannels],
]

export type FoundRoute =
  | { readonly kind: 'found'; readonly handler: ApiHandler; readonly params: readonly string[] }
  | { readonly kind: 'wrong-method' }
  /** RabbitMQ has something there, the embedded broker has not. */
  | { readonly kind: 'not-modelled' }
  | { readonly kind: 'unknown' }

/** Segments are compared before they are decoded, so that a name may hold a slash. */
export function findRoute(method: string, segments: readonly string[]): FoundRoute {
  let isKnownPath = false
  for (const [routeMethod, path, handler] of routes) {
    const params = matchPath(path.split('/'), segments)
    if (!params) continue
    if (routeMethod === method) return { kind: 'found', handler, params }
    isKnownPath = true
  }
  if (isKnownPath) return { kind: 'wrong-method' }
  return { kind: rabbitPaths.has(segments[0] ?? '') ? 'not-modelled' : 'unknown' }
}

/** What RabbitMQ answers under, without plugins. What a plugin would answer is as unknown here as without it there. */
const rabbitPaths: ReadonlySet<string> = new Set([
  ...routes.map(([, path]) => path.split('/')[0]!),
  ...['all-configuration', 'auth', 'consumers', 'deprecated-features', 'extensions', 'global-parameters'],
  ...['parameters', 'rebalance', 'reset', 'topic-permissions', 'user-limits', 'vhost-limits'],
])

function matchPath(pattern: readonly string[], segments: readonly string[]): readonly string[] | undefined {
  if (pattern.length !== segments.length) return undefined
  const params: string[] = []
  for (const [at, part] of pattern.entries()) {
    if (part === '*') params.push(decodeURIComponent(segments[at]!))
    else if (part !== segments[at]) return undefined
  }
  return params
}
