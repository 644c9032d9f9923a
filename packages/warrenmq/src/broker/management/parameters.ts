import { type CallApi, type CallOptions, callOrUndefined } from './call-api.ts'
import { asRecord, type JsonRecord } from './json-fields.ts'

/** A runtime parameter of a plugin, such as a shovel. */
export interface ParameterName {
  /** `shovel`, `federation-upstream` and others. */
  readonly component: string
  readonly vhost: string
  readonly name: string
}

export interface RuntimeParameters {
  /** Its value; undefined where there is none. */
  find(parameter: ParameterName, options?: CallOptions): Promise<JsonRecord | undefined>
  put(parameter: ParameterName & { readonly value: JsonRecord }, options?: CallOptions): Promise<void>
  delete(parameter: ParameterName, options?: CallOptions): Promise<void>
}

export function parametersOf(callApi: CallApi): RuntimeParameters {
  return {
    find: async (parameter, options) => {
      const answer = await callOrUndefined(callApi, { method: 'GET', ...address(parameter), options })
      return answer && asRecord(asRecord(answer.json).value)
    },

    put: async (parameter, options) => {
      await callApi({ method: 'PUT', ...address(parameter), body: { value: parameter.value }, options })
    },

    delete: async (parameter, options) => {
      await callApi({ method: 'DELETE', ...address(parameter), options })
    },
  }
}

function address({ component, vhost, name }: ParameterName): { path: readonly string[]; subject: string } {
  return {
    path: ['parameters', component, vhost, name],
    subject: `${component} "${name}" in vhost "${vhost}"`,
  }
}
