import { type CallApi, type CallOptions, callOrUndefined } from './call-api.ts'
import { exchangeSegment } from './encode-path.ts'
import { asRecord, asRecords, flagField, type JsonRecord, requiredText } from './json-record.ts'

/** An exchange as the broker reports it. */
export interface ManagedExchange {
  /** The vhost that it belongs to. */
  readonly vhost: string
  /** Empty for the default exchange. */
  readonly name: string
  /** `direct`, `fanout`, `topic`, `headers`, or one that a plugin brings. */
  readonly type: string
  /** It survives a restart of the broker. */
  readonly durable: boolean
  /** It goes with its last binding. */
  readonly autoDelete: boolean
  /** Only other exchanges may publish to it. */
  readonly internal: boolean
  /** As they were declared, `alternate-exchange` among them. */
  readonly arguments: JsonRecord
}

/** Names one exchange of a broker. */
export interface ExchangeName {
  /** The vhost of the exchange. */
  readonly vhost: string
  /** The exchange in that vhost; empty for the default exchange. */
  readonly name: string
}

/** The exchanges of a broker. */
export interface Exchanges {
  /**
   * All exchanges, of one vhost or of all.
   * @example
   * ```ts
   * const exchanges = await management.exchanges.list({ vhost: '/' })
   * ```
   */
  list(options?: CallOptions & { readonly vhost?: string }): Promise<readonly ManagedExchange[]>
  /**
   * Everything about one exchange; undefined if there is none.
   * @example
   * ```ts
   * const exchange = await management.exchanges.find({ vhost: '/', name: 'orders.events' })
   * ```
   */
  find(exchange: ExchangeName, options?: CallOptions): Promise<ManagedExchange | undefined>
}

export function exchangesOf(callApi: CallApi): Exchanges {
  return {
    list: async ({ vhost, signal } = {}) => {
      const { json } = await callApi({
        path: vhost === undefined ? ['exchanges'] : ['exchanges', vhost],
        query: { disable_stats: true },
        subject: vhost === undefined ? 'exchanges' : `vhost "${vhost}"`,
        options: { signal },
      })
      return asRecords(json).map(readExchange)
    },

    find: async (exchange, options) => {
      const answer = await callOrUndefined(callApi, { ...address(exchange), options })
      return answer && readExchange(asRecord(answer.json))
    },
  }
}

function address({ vhost, name }: ExchangeName): { path: readonly string[]; subject: string } {
  return {
    path: ['exchanges', vhost, exchangeSegment(name)],
    subject: `exchange "${name}" in vhost "${vhost}"`,
  }
}

function readExchange(exchange: JsonRecord): ManagedExchange {
  return {
    vhost: requiredText(exchange, 'vhost'),
    name: requiredText(exchange, 'name'),
    type: requiredText(exchange, 'type'),
    durable: flagField(exchange, 'durable') ?? false,
    autoDelete: flagField(exchange, 'auto_delete') ?? false,
    internal: flagField(exchange, 'internal') ?? false,
    arguments: asRecord(exchange.arguments),
  }
}
