import type { CallApi, CallOptions } from './call-api.ts'
import { asRecords, type JsonRecord, requiredText, textField } from './json-record.ts'

/** A vhost as the broker reports it. */
export interface ManagedVhost {
  /** As connections name it. */
  readonly name: string
  /** Undefined if nobody described it. */
  readonly description: string | undefined
  /** What a queue becomes that is declared without `x-queue-type`. */
  readonly defaultQueueType: string | undefined
}

/** The vhosts of a broker. */
export interface Vhosts {
  /**
   * All vhosts that the user may see.
   * @example
   * ```ts
   * const vhosts = await management.vhosts.list()
   * ```
   */
  list(options?: CallOptions): Promise<readonly ManagedVhost[]>
}

export function vhostsOf(callApi: CallApi): Vhosts {
  return {
    list: async (options) => {
      const { json } = await callApi({ path: ['vhosts'], subject: 'vhosts', options })
      return asRecords(json).map(readVhost)
    },
  }
}

function readVhost(vhost: JsonRecord): ManagedVhost {
  const defaultQueueType = textField(vhost, 'default_queue_type')
  return {
    name: requiredText(vhost, 'name'),
    description: textField(vhost, 'description'),
    // Erlang's undefined leaks out as text.
    defaultQueueType: defaultQueueType === 'undefined' ? undefined : defaultQueueType,
  }
}
