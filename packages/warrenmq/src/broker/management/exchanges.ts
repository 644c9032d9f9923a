import { type CallApi, type CallOptions, callOrUndefined } from './call-api.ts'
import { exchangeSegment } from './encode-path.ts'
import { asRecord, asRecords, flagField, type JsonRecord, requiredText } from './json-record.ts'

export interface ManagedExchange {
  readonly vhost: string
  /** Empty for the default exchange. */
  readonly name: string
  readonly type: string
  readonly durable: boolean
  readonly autoDelete: boolean
  readonly internal: boolean
  readonly arguments: JsonRecord
}

export interface ExchangeName {
  readonly vhost: string
  readonly name: string
}

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
