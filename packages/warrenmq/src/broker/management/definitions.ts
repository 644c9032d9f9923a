import type { CallApi, CallOptions } from './call-api.ts'
import { asRecord, type JsonRecord } from './json-fields.ts'

export interface DefinitionsScope extends CallOptions {
  /** @default the whole broker, users and permissions included */
  readonly vhost?: string
}

export interface Definitions {
  /** Everything but messages, as RabbitMQ writes it. Needs the tag administrator. */
  export(scope?: DefinitionsScope): Promise<JsonRecord>
  /**
   * Creates what is missing and overwrites policies and parameters. It is not an apply: a queue or exchange that
   * exists with other arguments is skipped without a word, and nothing is deleted.
   */
  import(definitions: JsonRecord, scope?: DefinitionsScope): Promise<void>
}

export function definitionsOf(callApi: CallApi): Definitions {
  const address = (vhost: string | undefined) => ({
    path: vhost === undefined ? ['definitions'] : ['definitions', vhost],
    subject: vhost === undefined ? 'definitions' : `definitions of vhost "${vhost}"`,
  })
  return {
    export: async ({ vhost, signal } = {}) => {
      const { json } = await callApi({
        method: 'GET',
        action: 'export',
        ...address(vhost),
        options: { signal },
      })
      return asRecord(json)
    },

    import: async (definitions, { vhost, signal } = {}) => {
      await callApi({
        method: 'POST',
        action: 'import',
        ...address(vhost),
        body: definitions,
        options: { signal },
      })
    },
  }
}
