import type { CallApi, CallOptions } from './call-api.ts'
import { asRecord, asRecords, type JsonRecord, numberField, requiredText, textField } from './json-fields.ts'

export interface Policy {
  readonly vhost: string
  readonly name: string
  /** A regular expression over names. */
  readonly pattern: string
  /** `queues`, `exchanges`, `all`; from 3.12 on also `quorum_queues`, `classic_queues`, `streams`. */
  readonly applyTo: string
  readonly definition: JsonRecord
  /** Of the policies that match a queue only the one of the highest priority applies. */
  readonly priority: number
}

export interface Policies {
  list(options?: CallOptions & { readonly vhost?: string }): Promise<readonly Policy[]>
  put(policy: Policy, options?: CallOptions): Promise<void>
  delete(policy: Pick<Policy, 'vhost' | 'name'>, options?: CallOptions): Promise<void>
}

export function policiesOf(callApi: CallApi, kind: 'policies' | 'operator-policies'): Policies {
  const word = kind === 'policies' ? 'policy' : 'operator policy'
  const address = ({ vhost, name }: Pick<Policy, 'vhost' | 'name'>) => ({
    path: [kind, vhost, name],
    subject: `${word} "${name}" in vhost "${vhost}"`,
  })

  return {
    list: async ({ vhost, signal } = {}) => {
      const { json } = await callApi({
        method: 'GET',
        path: vhost === undefined ? [kind] : [kind, vhost],
        subject: vhost === undefined ? kind : `vhost "${vhost}"`,
        options: { signal },
      })
      return asRecords(json).map(readPolicy)
    },

    put: async (policy, options) => {
      const { pattern, definition, priority, applyTo } = policy
      const body = { pattern, definition, priority, 'apply-to': applyTo }
      await callApi({ method: 'PUT', ...address(policy), body, options })
    },

    delete: async (policy, options) => {
      await callApi({ method: 'DELETE', ...address(policy), options })
    },
  }
}

function readPolicy(policy: JsonRecord): Policy {
  return {
    vhost: requiredText(policy, 'vhost'),
    name: requiredText(policy, 'name'),
    pattern: requiredText(policy, 'pattern'),
    applyTo: textField(policy, 'apply-to') ?? 'all',
    definition: asRecord(policy.definition),
    priority: numberField(policy, 'priority') ?? 0,
  }
}
