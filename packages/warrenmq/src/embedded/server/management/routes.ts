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
} from './bindings.ts'
import type { RouteAccess } from './check-route-access.ts'
import { closeConnection, listChannels, listConnections, showConnection } from './connections.ts'
import { listConsumers } from './consumers.ts'
import { listExchanges, putExchange, removeExchangeByApi, showExchange } from './exchanges.ts'
import { exportDefinitions, exportVhostDefinitions } from './export-definitions.ts'
import { importDefinitions, importVhostDefinitions } from './import-definitions.ts'
import {
  deleteUserLimit,
  deleteVhostLimit,
  listUserLimits,
  listVhostLimits,
  putUserLimit,
  putVhostLimit,
} from './limits.ts'
import { getMessages, publishMessage } from './messages.ts'
import { alarms, aliveness, clusterName, featureFlags, healthy, listNodes, overview } from './overview.ts'
import {
  deleteGlobalParameter,
  deleteParameter,
  listGlobalParameters,
  listParameters,
  putGlobalParameter,
  putParameter,
  showGlobalParameter,
  showParameter,
} from './parameters.ts'
import { policiesApi } from './policies-api.ts'
import { listQueues, purgeQueueByApi, putQueue, removeQueueByApi, showQueue } from './queues.ts'
import {
  deleteTopicPermissions,
  listAllTopicPermissions,
  listUserTopicPermissions,
  listVhostTopicPermissions,
  putTopicPermission,
  showTopicPermissions,
} from './topic-permissions.ts'
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
} from './users.ts'
import { deleteVhost, listVhosts, putVhost, showVhost } from './vhosts.ts'

export type ApiHandler = (request: ApiRequest) => ApiAnswer

const policies = policiesApi('policies')
const operatorPolicies = policiesApi('operatorPolicies')

/** Method, path with a `*` for each name (the first is the vhost, where one is asked for), who may ask, who answers. */
const routes: readonly (readonly [method: string, path: string, access: RouteAccess, handler: ApiHandler])[] =
  [
    ['GET', 'overview', 'anyone', overview],
    ['GET', 'whoami', 'anyone', whoAmI],
    ['GET', 'nodes', 'monitoring', listNodes],
    ['GET', 'cluster-name', 'anyone', clusterName],
    ['GET', 'feature-flags', 'anyone', featureFlags],
    ['GET', 'aliveness-test/*', 'vhost', aliveness],
    ['GET', 'health/checks/alarms', 'anyone', alarms],
    ['GET', 'health/checks/local-alarms', 'anyone', alarms],
    ['GET', 'health/checks/virtual-hosts', 'anyone', healthy],
    ['GET', 'definitions', 'administrator', exportDefinitions],
    ['POST', 'definitions', 'administrator', importDefinitions],
    ['GET', 'definitions/*', 'administrator', exportVhostDefinitions],
    ['POST', 'definitions/*', 'administrator', importVhostDefinitions],
    ['GET', 'vhosts', 'anyone', listVhosts],
    ['GET', 'vhosts/*', 'administrator', showVhost],
    ['PUT', 'vhosts/*', 'administrator', putVhost],
    ['DELETE', 'vhosts/*', 'administrator', deleteVhost],
    ['GET', 'vhosts/*/permissions', 'administrator', listVhostPermissions],
    ['GET', 'users', 'administrator', listUsers],
    ['GET', 'users/*', 'administrator', showUser],
    ['PUT', 'users/*', 'administrator', putUser],
    ['DELETE', 'users/*', 'administrator', deleteUser],
    ['GET', 'users/*/permissions', 'administrator', listUserPermissions],
    ['GET', 'permissions', 'administrator', listPermissions],
    ['GET', 'permissions/*/*', 'administrator', showPermission],
    ['PUT', 'permissions/*/*', 'administrator', putPermission],
    ['DELETE', 'permissions/*/*', 'administrator', deletePermission],
    ['GET', 'topic-permissions', 'administrator', listAllTopicPermissions],
    ['GET', 'topic-permissions/*/*', 'administrator', showTopicPermissions],
    ['PUT', 'topic-permissions/*/*', 'administrator', putTopicPermission],
    ['DELETE', 'topic-permissions/*/*', 'administrator', deleteTopicPermissions],
    ['GET', 'users/*/topic-permissions', 'administrator', listUserTopicPermissions],
    ['GET', 'vhosts/*/topic-permissions', 'administrator', listVhostTopicPermissions],
    ['GET', 'parameters', 'administrator', listParameters],
    ['GET', 'parameters/*', 'administrator', listParameters],
    ['GET', 'parameters/*/*', 'administrator', listParameters],
    ['GET', 'parameters/*/*/*', 'administrator', showParameter],
    ['PUT', 'parameters/*/*/*', 'administrator', putParameter],
    ['DELETE', 'parameters/*/*/*', 'administrator', deleteParameter],
    ['GET', 'global-parameters', 'administrator', listGlobalParameters],
    ['GET', 'global-parameters/*', 'administrator', showGlobalParameter],
    ['PUT', 'global-parameters/*', 'administrator', putGlobalParameter],
    ['DELETE', 'global-parameters/*', 'administrator', deleteGlobalParameter],
    ['GET', 'vhost-limits', 'administrator', listVhostLimits],
    ['GET', 'vhost-limits/*', 'administrator', listVhostLimits],
    ['PUT', 'vhost-limits/*/*', 'administrator', putVhostLimit],
    ['DELETE', 'vhost-limits/*/*', 'administrator', deleteVhostLimit],
    ['GET', 'user-limits', 'administrator', listUserLimits],
    ['GET', 'user-limits/*', 'administrator', listUserLimits],
    ['PUT', 'user-limits/*/*', 'administrator', putUserLimit],
    ['DELETE', 'user-limits/*/*', 'administrator', deleteUserLimit],
    ['GET', 'consumers', 'anyone', listConsumers],
    ['GET', 'consumers/*', 'vhost', listConsumers],
    ['GET', 'policies', 'anyone', policies.list],
    ['GET', 'policies/*', 'vhost', policies.list],
    ['GET', 'policies/*/*', 'policymaker', policies.show],
    ['PUT', 'policies/*/*', 'policymaker', policies.put],
    ['DELETE', 'policies/*/*', 'policymaker', policies.remove],
    ['GET', 'operator-policies', 'anyone', operatorPolicies.list],
    ['GET', 'operator-policies/*', 'vhost', operatorPolicies.list],
    ['GET', 'operator-policies/*/*', 'administrator', operatorPolicies.show],
    ['PUT', 'operator-policies/*/*', 'administrator', operatorPolicies.put],
    ['DELETE', 'operator-policies/*/*', 'administrator', operatorPolicies.remove],
    ['GET', 'queues', 'anyone', listQueues],
    ['GET', 'queues/*', 'vhost', listQueues],
    ['GET', 'queues/*/*', 'vhost', showQueue],
    ['PUT', 'queues/*/*', 'vhost', putQueue],
    ['DELETE', 'queues/*/*', 'vhost', removeQueueByApi],
    ['DELETE', 'queues/*/*/contents', 'vhost', purgeQueueByApi],
    ['GET', 'queues/*/*/bindings', 'vhost', listQueueBindings],
    ['POST', 'queues/*/*/get', 'vhost', getMessages],
    ['GET', 'exchanges', 'anyone', listExchanges],
    ['GET', 'exchanges/*', 'vhost', listExchanges],
    ['GET', 'exchanges/*/*', 'vhost', showExchange],
    ['PUT', 'exchanges/*/*', 'vhost', putExchange],
    ['DELETE', 'exchanges/*/*', 'vhost', removeExchangeByApi],
    ['GET', 'exchanges/*/*/bindings/source', 'vhost', listSourceBindings],
    ['GET', 'exchanges/*/*/bindings/destination', 'vhost', listDestinationBindings],
    ['POST', 'exchanges/*/*/publish', 'vhost', publishMessage],
    ['GET', 'bindings', 'anyone', listBindings],
    ['GET', 'bindings/*', 'vhost', listBindings],
    ['GET', 'bindings/*/e/*/*/*', 'vhost', listBindingsBetween],
    ['POST', 'bindings/*/e/*/*/*', 'vhost', postBinding],
    ['GET', 'bindings/*/e/*/*/*/*', 'vhost', showBinding],
    ['DELETE', 'bindings/*/e/*/*/*/*', 'vhost', deleteBinding],
    ['GET', 'connections', 'anyone', listConnections],
    ['GET', 'vhosts/*/connections', 'vhost', listConnections],
    ['GET', 'connections/*', 'anyone', showConnection],
    ['DELETE', 'connections/*', 'anyone', closeConnection],
    ['GET', 'channels', 'anyone', listChannels],
  ]

export type FoundRoute =
  | {
      readonly kind: 'found'
      readonly access: RouteAccess
      readonly handler: ApiHandler
      readonly params: readonly string[]
    }
  | { readonly kind: 'wrong-method' }
  /** RabbitMQ has something there, the embedded broker has not. */
  | { readonly kind: 'not-modelled' }
  | { readonly kind: 'unknown' }

/** Segments are compared before they are decoded, so that a name may hold a slash. */
export function findRoute(method: string, segments: readonly string[]): FoundRoute {
  let isKnownPath = false
  for (const [routeMethod, path, access, handler] of routes) {
    const params = matchPath(path.split('/'), segments)
    if (!params) continue
    if (routeMethod === method) return { kind: 'found', access, handler, params }
    isKnownPath = true
  }
  if (isKnownPath) return { kind: 'wrong-method' }
  return { kind: rabbitPaths.has(segments[0] ?? '') ? 'not-modelled' : 'unknown' }
}

/** What RabbitMQ answers under, without plugins. What a plugin would answer is as unknown here as without it there. */
const rabbitPaths: ReadonlySet<string> = new Set([
  ...routes.map(([, path]) => path.split('/')[0]!),
  'all-configuration',
  'auth',
  'consumers',
  'deprecated-features',
  'extensions',
  'global-parameters',
  'parameters',
  'rebalance',
  'reset',
  'topic-permissions',
  'user-limits',
  'vhost-limits',
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
