import { type CallApi, type CallOptions, callOrUndefined } from './call-api.ts'
import { asRecord, asRecords, type JsonRecord, requiredText, textField } from './json-fields.ts'

export interface ManagedVhost {
  readonly name: string
  readonly description: string | undefined
  /** What a queue becomes that is declared without `x-queue-type`. */
  readonly defaultQueueType: string | undefined
}

export interface VhostDefinition {
  readonly name: string
  readonly description?: string
  readonly defaultQueueType?: string
}

export interface Vhosts {
  list(options?: CallOptions): Promise<readonly ManagedVhost[]>
  find(name: string, options?: CallOptions): Promise<ManagedVhost | undefined>
  create(vhost: VhostDefinition, options?: CallOptions): Promise<void>
  /** Deletes it with every queue and message in it. */
  delete(name: string, options?: CallOptions): Promise<void>
}

export function vhostsOf(callApi: CallApi): Vhosts {
  return {
    list: async (options) => {
      const { json } = await callApi({ method: 'GET', path: ['vhosts'], subject: 'vhosts', options })
      return asRecords(json).map(readVhost)
    },

    find: async (name, options) => {
      const answer = await callOrUndefined(callApi, { method: 'GET', ...address(name), options })
      return answer && readVhost(asRecord(answer.json))
    },

    create: async ({ name, description, defaultQueueType }, options) => {
      const body = { description, default_queue_type: defaultQueueType }
      await callApi({ method: 'PUT', action: 'create', ...address(name), body, options })
    },

    delete: async (name, options) => {
      await callApi({ method: 'DELETE', ...address(name), options })
    },
  }
}

function address(name: string): { path: readonly string[]; subject: string } {
  return { path: ['vhosts', name], subject: `vhost "${name}"` }
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
