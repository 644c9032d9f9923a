import { ManagementError } from '../../errors.ts'
import type { ApiRequest, CallApi, CallOptions } from './call-api.ts'
import { exchangeSegment } from './encode-path.ts'
import { asRecord, asRecords, type JsonRecord, requiredText, textField } from './json-fields.ts'

export interface Binding {
  readonly vhost: string
  /** An exchange; empty for the default exchange, whose bindings are implied and cannot be changed. */
  readonly source: string
  readonly destination: string
  readonly destinationType: 'queue' | 'exchange'
  readonly routingKey: string
  readonly arguments: JsonRecord
}

export interface ManagedBinding extends Binding {
  /** The broker's name for the binding among those of the same source and destination. */
  readonly propertiesKey: string
}

export interface Bindings {
  list(options?: CallOptions & { readonly vhost?: string }): Promise<readonly ManagedBinding[]>
  /** Those that lead away from one exchange. */
  listFrom(
    exchange: { readonly vhost: string; readonly name: string },
    options?: CallOptions,
  ): Promise<readonly ManagedBinding[]>
  create(binding: Binding, options?: CallOptions): Promise<void>
  /** Deletes exactly this binding: same key, same arguments. */
  delete(binding: Binding | ManagedBinding, options?: CallOptions): Promise<void>
}

export function bindingsOf(callApi: CallApi): Bindings {
  const listOf = async (request: Omit<ApiRequest, 'method'>) =>
    asRecords((await callApi({ ...request, method: 'GET' })).json).map(readBinding)

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

    create: async (binding, options) => {
      const body = { routing_key: binding.routingKey, arguments: binding.arguments }
      await callApi({
        method: 'POST',
        action: 'create',
        ...endsOf(binding),
        subject: ends(binding),
        body,
        options,
      })
    },

    delete: async (binding, options) => {
      const between = { ...endsOf(binding), options }
      const propertiesKey =
        'propertiesKey' in binding ? binding.propertiesKey : keyOf(binding, await listOf(between))
      await callApi({ ...between, method: 'DELETE', path: [...between.path, propertiesKey] })
    },
  }
}

function endsOf(binding: Binding): { path: readonly string[]; subject: string } {
  const { vhost, source, destination, destinationType } = binding
  const kind = destinationType === 'queue' ? 'q' : 'e'
  return {
    path: ['bindings', vhost, 'e', exchangeSegment(source), kind, destination],
    subject: describe(binding),
  }
}

function describe({ vhost, source, destination, destinationType, routingKey }: Binding): string {
  return `binding of ${destinationType} "${destination}" to exchange "${source}" with key "${routingKey}" in vhost "${vhost}"`
}

// A 404 while binding is about one of the two ends, not about the binding.
function ends(binding: Binding): string {
  return `${describe(binding)} (or one of its ends)`
}

// With arguments the key contains a hash of the broker's own, so it is looked up and not computed.
function keyOf(binding: Binding, live: readonly ManagedBinding[]): string {
  const found = live.find(
    (candidate) =>
      candidate.routingKey === binding.routingKey && isEqual(candidate.arguments, binding.arguments),
  )
  if (found) return found.propertiesKey
  throw new ManagementError({
    code: 'MANAGEMENT_NOT_FOUND',
    status: 404,
    message: `There is no ${describe(binding)} with these arguments.`,
  })
}

function isEqual(left: unknown, right: unknown): boolean {
  return canonical(left) === canonical(right)
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_name, part: unknown) =>
    Object.keys(asRecord(part)).length > 0
      ? Object.entries(asRecord(part)).toSorted(([a], [b]) => (a < b ? -1 : 1))
      : part,
  )
}

function readBinding(binding: JsonRecord): ManagedBinding {
  return {
    vhost: requiredText(binding, 'vhost'),
    source: requiredText(binding, 'source'),
    destination: requiredText(binding, 'destination'),
    destinationType: textField(binding, 'destination_type') === 'exchange' ? 'exchange' : 'queue',
    routingKey: requiredText(binding, 'routing_key'),
    arguments: asRecord(binding.arguments),
    propertiesKey: requiredText(binding, 'properties_key'),
  }
}
