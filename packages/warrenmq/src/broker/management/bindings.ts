import type { ApiRequest, CallApi, CallOptions } from './call-api.ts'
import { exchangeSegment } from './encode-path.ts'
import { asRecord, asRecords, type JsonRecord, requiredText, textField } from './json-record.ts'

/** A binding as the broker reports it. */
export interface ManagedBinding {
  /** The vhost of both ends. */
  readonly vhost: string
  /** An exchange; empty for the default exchange, whose bindings are implied and cannot be changed. */
  readonly source: string
  /** The queue or exchange that messages go to. */
  readonly destination: string
  /** What `destination` names. */
  readonly destinationType: 'queue' | 'exchange'
  /** The key or pattern that a message must match. */
  readonly routingKey: string
  /** Conditions of a headers exchange, and the like. */
  readonly arguments: JsonRecord
}

/** What leads from exchanges to queues and other exchanges. */
export interface Bindings {
  /**
   * All bindings, of one vhost or of all.
   * @example
   * ```ts
   * const bindings = await management.bindings.list({ vhost: '/' })
   * ```
   */
  list(options?: CallOptions & { readonly vhost?: string }): Promise<readonly ManagedBinding[]>
  /**
   * Those that lead away from one exchange.
   * @example
   * ```ts
   * const bindings = await management.bindings.listFrom({ vhost: '/', name: 'orders.events' })
   * ```
   */
  listFrom(
    exchange: { readonly vhost: string; readonly name: string },
    options?: CallOptions,
  ): Promise<readonly ManagedBinding[]>
}

export function bindingsOf(callApi: CallApi): Bindings {
  const listOf = async (request: ApiRequest) => asRecords((await callApi(request)).json).map(readBinding)

  return {
    list: ({ vhost, signal } = {}) =>
      listOf({
        path: vhost === undefined ? ['bindings'] : ['bindings', vhost],
        subject: vhost === undefined ? 'bindings' : `vhost "${vhost}"`,
        options: { signal },
      }),

    listFrom: ({ vhost, name }, options) =>
      listOf({
        path: ['exchanges', vhost, exchangeSegment(name), 'bindings', 'source'],
        subject: `bindings of exchange "${name}" in vhost "${vhost}"`,
        options,
      }),
  }
}

function readBinding(binding: JsonRecord): ManagedBinding {
  return {
    vhost: requiredText(binding, 'vhost'),
    source: requiredText(binding, 'source'),
    destination: requiredText(binding, 'destination'),
    destinationType: textField(binding, 'destination_type') === 'exchange' ? 'exchange' : 'queue',
    routingKey: requiredText(binding, 'routing_key'),
    arguments: asRecord(binding.arguments),
  }
}
