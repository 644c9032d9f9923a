import type { CallApi, CallOptions } from './call-api.ts'
import { asRecord, type JsonRecord, requiredText, textField } from './json-record.ts'
import { listPages } from './list-pages.ts'

/** A connection as the broker reports it. */
export interface ManagedConnection {
  /** The broker's name for it: `127.0.0.1:40312 -> 127.0.0.1:5672`. */
  readonly name: string
  /** Undefined if the broker does not say. */
  readonly vhost: string | undefined
  /** Who logged in; undefined if the broker does not say. */
  readonly user: string | undefined
  /** The name that the client gave itself. */
  readonly clientName: string | undefined
  /** The `id` of a connection that Warren opened. */
  readonly warrenId: string | undefined
}

/** Who is connected. */
export interface Connections {
  /**
   * Who is connected, to one vhost or to all.
   * @example
   * ```ts
   * const connections = await management.connections.list({ vhost: '/' })
   * ```
   */
  list(options?: CallOptions & { readonly vhost?: string }): Promise<readonly ManagedConnection[]>
}

export function connectionsOf(callApi: CallApi): Connections {
  return {
    list: async ({ vhost, signal } = {}) => {
      const connections = await listPages(callApi, {
        path: vhost === undefined ? ['connections'] : ['vhosts', vhost, 'connections'],
        subject: vhost === undefined ? 'connections' : `vhost "${vhost}"`,
        options: { signal },
      })
      return connections.map(readConnection)
    },
  }
}

function readConnection(connection: JsonRecord): ManagedConnection {
  const client = asRecord(connection.client_properties)
  return {
    name: requiredText(connection, 'name'),
    vhost: textField(connection, 'vhost'),
    user: textField(connection, 'user'),
    clientName: textField(client, 'connection_name') ?? textField(connection, 'user_provided_name'),
    warrenId: textField(client, 'warren_id'),
  }
}
