import type { CallApi, CallOptions } from './call-api.ts'
import {
  asRecord,
  asRecords,
  flagField,
  type JsonRecord,
  numberField,
  requiredText,
  textField,
} from './json-record.ts'
import { type ManagedUser, readTags } from './users.ts'

/** Who answers, and where the cluster can be reached. */
export interface Overview {
  /** `RabbitMQ`, or the name of a product built on it. */
  readonly product: string
  /** The version of RabbitMQ itself: what capabilities go by. */
  readonly version: string
  /** As an operator named the cluster; undefined if the broker does not say. */
  readonly clusterName: string | undefined
  /** The node that answered. */
  readonly node: string | undefined
  /** Where its nodes listen, and for which protocol. */
  readonly listeners: readonly Listener[]
}

/** A port that a node listens on. */
export interface Listener {
  /** The node that listens. */
  readonly node: string
  /** `amqp`, `amqp/ssl`, `http`, `https`, `clustering` and others. */
  readonly protocol: string
  /** The address that it listens on; undefined if the broker does not say. */
  readonly host: string | undefined
  /** Undefined if the broker does not say. */
  readonly port: number | undefined
}

/** Alarms of the cluster, and whether there is one. */
export interface ClusterHealth {
  /** No node has an alarm. */
  readonly isHealthy: boolean
  /** Which node is short of what: `memory`, `disk`. */
  readonly alarms: readonly { readonly node: string; readonly resource: string }[]
}

/** The broker as a whole. */
export interface Cluster {
  /**
   * Version, name and listeners of the broker.
   * @example
   * ```ts
   * const overview = await management.overview()
   * ```
   */
  overview(options?: CallOptions): Promise<Overview>
  /**
   * The user that the client logs in as.
   * @example
   * ```ts
   * const { name, tags } = await management.whoAmI()
   * ```
   */
  whoAmI(options?: CallOptions): Promise<ManagedUser>
  /**
   * Memory and disk alarms anywhere in the cluster. While there is one, publishers are blocked.
   * @example
   * ```ts
   * const health = await management.health()
   * ```
   */
  health(options?: CallOptions): Promise<ClusterHealth>
  /**
   * For how long all nodes have been up; undefined where one is down, or the account lacks the tag `monitoring`.
   * @example
   * ```ts
   * const uptimeMs = await management.uptimeMs()
   * ```
   */
  uptimeMs(options?: CallOptions): Promise<number | undefined>
}

export function clusterOf(callApi: CallApi): Cluster {
  return {
    overview: async (options) => {
      // Not with disable_stats, as elsewhere: it would leave out the listeners.
      const { json } = await callApi({ path: ['overview'], subject: 'overview', options })
      return readOverview(asRecord(json))
    },

    whoAmI: async (options) => {
      const { json } = await callApi({ path: ['whoami'], subject: 'own user', options })
      const user = asRecord(json)
      return { name: requiredText(user, 'name'), tags: readTags(user.tags) }
    },

    health: async (options) => {
      const path = ['health', 'checks', 'alarms']
      // 503 is the answer "there are alarms".
      const { status, json } = await callApi({
        path,
        subject: 'alarms',
        accept: [503],
        options,
      })
      return { isHealthy: status === 200, alarms: asRecords(asRecord(json).alarms).map(readAlarm) }
    },

    uptimeMs: async (options) => {
      const { json } = await callApi({
        path: ['nodes'],
        query: { columns: 'running,uptime' },
        subject: 'nodes',
        accept: [401, 403],
        options,
      })
      return readUptime(asRecords(json))
    },
  }
}

function readUptime(nodes: readonly JsonRecord[]): number | undefined {
  const uptimes = nodes.map((node) => (flagField(node, 'running') ? numberField(node, 'uptime') : undefined))
  return uptimes.length === 0 || uptimes.includes(undefined) ? undefined : Math.min(...(uptimes as number[]))
}

function readOverview(overview: JsonRecord): Overview {
  return {
    product: textField(overview, 'product_name') ?? 'RabbitMQ',
    version: requiredText(overview, 'rabbitmq_version'),
    clusterName: textField(overview, 'cluster_name'),
    node: textField(overview, 'node'),
    listeners: asRecords(overview.listeners).map(readListener),
  }
}

function readListener(listener: JsonRecord): Listener {
  return {
    node: requiredText(listener, 'node'),
    protocol: requiredText(listener, 'protocol'),
    host: textField(listener, 'ip_address'),
    port: numberField(listener, 'port'),
  }
}

function readAlarm(alarm: JsonRecord): { node: string; resource: string } {
  return { node: textField(alarm, 'node') ?? 'unknown', resource: textField(alarm, 'resource') ?? 'unknown' }
}
