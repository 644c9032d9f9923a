import { ManagementError } from '../../errors.ts'
import { joinSignals } from '../../join-signals.ts'
import { type Bindings, bindingsOf } from './bindings.ts'
import { type CallApi, createApi } from './call-api.ts'
import { type Cluster, clusterOf } from './cluster.ts'
import { type Connections, connectionsOf } from './connections.ts'
import { type Exchanges, exchangesOf } from './exchanges.ts'
import { placeOf } from './explain-status.ts'
import { createAgent, type ManagementTls } from './http-request.ts'
import { type ManagementAddress, parseManagementUrl } from './management-url.ts'
import { type Policies, policiesOf } from './policies.ts'
import { type Queues, queuesOf } from './queues.ts'
import { type Permissions, permissionsOf, type Users, usersOf } from './users.ts'
import { type Vhosts, vhostsOf } from './vhosts.ts'

/** How to reach the management API. */
export interface ManagementOptions {
  /**
   * Certificates for https.
   * @example { tls: { ca: readFileSync('ca.pem') } }
   */
  readonly tls?: ManagementTls
  /**
   * How long one request may take, in milliseconds. @default 30_000
   * @example { timeoutMs: 5_000 }
   */
  readonly timeoutMs?: number
  /**
   * Requests at once; the others wait their turn. @default 4
   * @example { maxConcurrentRequests: 2 }
   */
  readonly maxConcurrentRequests?: number
  /**
   * The largest answer that is read. @default 268_435_456 (256 MiB)
   * @example { maxResponseBytes: 64 * 1024 * 1024 }
   */
  readonly maxResponseBytes?: number
}

/** RabbitMQ's HTTP API, as far as it only reads: what changes a broker goes over AMQP. Every failure is a `ManagementError` that says what to do. */
export interface Management extends Cluster {
  /** The vhosts that the user may see. */
  readonly vhosts: Vhosts
  /** Who there is, for a user who may know. */
  readonly users: Users
  /** What users may configure, write and read. */
  readonly permissions: Permissions
  /** Queues with their depths and rates. */
  readonly queues: Queues
  /** Exchanges as they were declared. */
  readonly exchanges: Exchanges
  /** Bindings between exchanges and queues. */
  readonly bindings: Bindings
  /** Policies that users set. */
  readonly policies: Policies
  /** Policies of operators, which limit those of users. */
  readonly operatorPolicies: Policies
  /** Who is connected. */
  readonly connections: Connections
  /**
   * The same API, asked as another user. The caller closes it.
   * @example
   * ```ts
   * const asAnn = management.loginAs({ username: 'ann', password: 'secret' })
   * asAnn.close()
   * ```
   */
  loginAs(credentials: Login, options?: ManagementOptions): Management
  /**
   * The same API for work that may end before its answers come: the signal gives up what has none yet.
   * @example
   * ```ts
   * const queues = await management.until(AbortSignal.timeout(5_000)).queues.list({ vhost: '/' })
   * ```
   */
  until(signal: AbortSignal): Management
  /**
   * Gives up requests that have no answer yet, refuses new ones, and closes the pooled sockets.
   * @example
   * ```ts
   * management.close()
   * ```
   */
  close(): void
}

/** A user of the management API. */
export interface Login {
  /** Who asks. */
  readonly username: string
  /** In plain text; it leaves the process only in the request. */
  readonly password: string
}

/** Stands before every call. */
export type Guard = (callApi: CallApi) => CallApi

/**
 * A client for `http://user:password@host:15672`. Nothing is sent before the first call. The credentials stay in
 * a closure: neither an error nor `console.log(client)` shows them. Whoever is connected over AMQP, too, takes one
 * from `pairManagement`.
 * @example
 * ```ts
 * const management = openUnprovedManagement('http://guest:guest@localhost:15672')
 * ```
 */
export function openManagement(url: string, options: ManagementOptions = {}): Management {
  return openGuarded(parseManagementUrl(url), options, (callApi) => callApi)
}

/** The same with a guard, which stands before those of `loginAs`, too. */
export function openGuarded(
  address: ManagementAddress,
  options: ManagementOptions,
  guard: Guard,
): Management {
  const {
    tls = {},
    timeoutMs = 30_000,
    maxConcurrentRequests = 4,
    maxResponseBytes = 256 * 1024 * 1024,
  } = options
  const agent = createAgent({ isTls: address.isTls, maxSockets: maxConcurrentRequests, tls })
  const endpoint = { address, agent, timeoutMs, maxResponseBytes }
  const closing = new AbortController()
  const callApi = giveUpWith(
    closing.signal,
    guard(createApi(endpoint, { maxConcurrent: maxConcurrentRequests })),
  )
  return managementOf(callApi, {
    loginAs: (login, own = {}) => openGuarded({ ...address, ...login }, { ...options, ...own }, guard),
    close: () => {
      closing.abort(closedError(address))
      agent.destroy()
    },
  })
}

function managementOf(callApi: CallApi, door: Pick<Management, 'loginAs' | 'close'>): Management {
  return {
    ...clusterOf(callApi),
    vhosts: vhostsOf(callApi),
    users: usersOf(callApi),
    permissions: permissionsOf(callApi),
    queues: queuesOf(callApi),
    exchanges: exchangesOf(callApi),
    bindings: bindingsOf(callApi),
    policies: policiesOf(callApi, 'policies'),
    operatorPolicies: policiesOf(callApi, 'operator-policies'),
    connections: connectionsOf(callApi),
    until: (signal) => managementOf(giveUpWith(signal, callApi), door),
    ...door,
  }
}

/** Nobody waits for answers after the signal: what has none then rejects with its reason. */
function giveUpWith(ending: AbortSignal, callApi: CallApi): CallApi {
  return async (request) => {
    const { signal, release } = joinSignals([ending, request.options?.signal])
    try {
      signal.throwIfAborted()
      return await callApi({ ...request, options: { ...request.options, signal } })
    } finally {
      release()
    }
  }
}

function closedError(address: ManagementAddress): ManagementError {
  const message = `The client of the management API at ${placeOf(address)} is closed.`
  return new ManagementError({ code: 'MANAGEMENT_UNREACHABLE', message })
}
