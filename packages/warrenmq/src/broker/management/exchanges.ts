import { type CallApi, type CallOptions, callOrUndefined } from './call-api.ts'
import { exchangeSegment } from './encode-path.ts'
import { asRecord, asRecords, flagField, type JsonRecord, requiredText, textField } from './json-fields.ts'

export interface ManagedExchange {
  readonly vhost: string
  /** Empty for the default exchange. */
  readonly name: string
  readonly type: string
  readonly durable: boolean
  readonly autoDelete: boolean
  readonly internal: boolean
  readonly arguments: JsonRecord
  readonly policy: string | undefined
}

export interface ExchangeName {
  readonly vhost: string
  readonly name: string
}

export interface ExchangeDefinition extends ExchangeName {
  readonly type: string
  /** @default true */
  readonly durable?: boolean
  /** @default false */
  readonly autoDelete?: boolean
  /** @default false */
  readonly internal?: boolean
  readonly arguments?: JsonRecord
}

export interface Exchanges {
  list(options?: CallOptions & { readonly vhost?: string }): Promise<readonly ManagedExchange[]>
  find(exchange: ExchangeName, options?: CallOptions): Promise<ManagedExchange | undefined>
  create(exchange: ExchangeDefinition, options?: CallOptions): Promise<'created' | 'existing'>
  /** `ifUnused`: refuse while something is bound to it. */
  delete(exchange: ExchangeName, options?: CallOptions & { readonly ifUnused?: boolean }): Promise<void>
}

export function exchangesOf(callApi: CallApi): Exchanges {
  return {
    list: async ({ vhost, signal } = {}) => {
      const { json } = await callApi({
        method: 'GET',
        path: vhost === undefined ? ['exchanges'] : ['exchanges', vhost],
        query: { disable_stats: true },
        subject: vhost === undefined ? 'exchanges' : `vhost "${vhost}"`,
        options: { signal },
      })
      return asRecords(json).map(readExchange)
    },

    find: async (exchange, options) => {
      const answer = await callOrUndefined(callApi, { method: 'GET', ...address(exchange), options })
      return answer && readExchange(asRecord(answer.json))
    },

    create: async (exchange, options) => {
      const body = {
        type: exchange.type,
        durable: exchange.durable ?? true,
        auto_delete: exchange.autoDelete ?? false,
        internal: exchange.internal ?? false,
        arguments: exchange.arguments ?? {},
      }
      const { status } = await callApi({
        method: 'PUT',
        action: 'declare',
        ...address(exchange),
        body,
        options,
      })
      return status === 201 ? 'created' : 'existing'
    },

    delete: async (exchange, options = {}) => {
      const query = { 'if-unused': options.ifUnused || undefined }
      await callApi({ method: 'DELETE', ...address(exchange), query, options })
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
    policy: textField(exchange, 'policy'),
  }
}
