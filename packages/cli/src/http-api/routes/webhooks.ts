import type { AddRoutes } from '../api-context.ts'
import type { Caller } from '../auth/caller.ts'
import { mayReadQueue } from '../auth/may-read-queue.ts'
import { endpoints } from '../contract/endpoints.ts'
import { sayRules } from '../webhooks/say-rules.ts'
import type { Webhooks } from '../webhooks/webhooks.ts'

/** Whether alerts arrive. Webhooks start after everything that they watch, so they are no part of the context. */
export function webhookRoutes(webhooks: Pick<Webhooks, 'isSending' | 'states'>): AddRoutes {
  return (add) =>
    add(endpoints.listWebhooks, async ({ caller }) => ({
      isSending: webhooks.isSending,
      items: webhooks.states().map(([{ name, queues, on }, state]) => ({
        ...{ name, queues: patternsFor(caller, queues), rules: sayRules(on) },
        ...state,
      })),
    }))
}

/** The name of a queue that the caller may not read is not told by a pattern. */
function patternsFor(caller: Caller, patterns: readonly string[]): readonly string[] {
  return patterns.map((pattern) =>
    pattern.includes('*') || mayReadQueue(caller, pattern) ? pattern : '(a queue that you may not see)',
  )
}
