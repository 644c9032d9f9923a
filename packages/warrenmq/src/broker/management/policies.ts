import type { CallApi, CallOptions } from './call-api.ts'
import { asRecord, asRecords, type JsonRecord, numberField, requiredText, textField } from './json-record.ts'

/** A policy as the broker reports it. */
export interface Policy {
  /** Where it holds. */
  readonly vhost: string
  /** Unique in its vhost. */
  readonly name: string
  /** A regular expression over names. */
  readonly pattern: string
  /** `queues`, `exchanges`, `all`; from 3.12 on also `quorum_queues`, `classic_queues`, `streams`. */
  readonly applyTo: string
  /** What it sets, in the names of policies: `max-length`, `dead-letter-exchange`. */
  readonly definition: JsonRecord
  /** Of the policies that match a queue only the one of the highest priority applies. */
  readonly priority: number
}

/** The policies of a broker, of users or of operators. */
export interface Policies {
  /**
   * All policies, of one vhost or of all.
   * @example
   * ```ts
   * const policies = await management.policies.list({ vhost: '/' })
   * ```
   */
  list(options?: CallOptions & { readonly vhost?: string }): Promise<readonly Policy[]>
}

export function policiesOf(callApi: CallApi, kind: 'policies' | 'operator-policies'): Policies {
  return {
    list: async ({ vhost, signal } = {}) => {
      const { json } = await callApi({
        path: vhost === undefined ? [kind] : [kind, vhost],
        subject: vhost === undefined ? kind : `vhost "${vhost}"`,
        options: { signal },
      })
      return asRecords(json).map(readPolicy)
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
