import type { WebhookEvent } from './webhook-event.ts'
import type { WebhookRules } from './webhook-settings.ts'

export interface DepthSample {
  readonly atMs: number
  readonly messages: number
}

/** What one webhook knows of one queue. */
export interface AlertState {
  /** As far back as growth is measured, the oldest first. */
  readonly samples: readonly DepthSample[]
  /** Told already, and not yet over. */
  readonly isAbove: boolean
  readonly isGrowing: boolean
}

export const quiet: AlertState = { samples: [], isAbove: false, isGrowing: false }

/** Below this share of its limit an alert is over. In between it is not told again and again. */
const aboveIsOverAt = 0.8
const growthIsOverAt = 0.5

/** What is to be told of a queue after one more look at it. Each alert is told once, until it is over. */
export function decideAlerts(
  before: AlertState,
  {
    queue,
    sample,
    rules,
  }: { readonly queue: string; readonly sample: DepthSample; readonly rules: WebhookRules },
): { readonly state: AlertState; readonly events: readonly WebhookEvent[] } {
  const { above, growth } = rules
  const { atMs, messages } = sample
  const samples = [...before.samples.filter((each) => atMs - each.atMs <= (growth?.withinMs ?? 0)), sample]
  const grownBy = messages - Math.min(...samples.map((each) => each.messages))
  const isAbove = above !== undefined && messages > (before.isAbove ? above * aboveIsOverAt : above)
  const isGrowing =
    growth !== undefined && grownBy >= growth.messages * (before.isGrowing ? growthIsOverAt : 1)
  const events: WebhookEvent[] = []
  if (isAbove && !before.isAbove) events.push({ kind: 'dlq.above', queue, messages, above: above! })
  if (isGrowing && !before.isGrowing)
    events.push({ kind: 'dlq.growth', queue, messages, grownBy, withinMs: growth!.withinMs })
  return { state: { samples, isAbove, isGrowing }, events }
}

/** Whether a queue is one of those that a webhook is about. */
export function isQueueMeant(patterns: readonly string[], queue: string): boolean {
  return patterns.length === 0 || patterns.some((pattern) => matches(pattern, queue))
}

function matches(pattern: string, queue: string): boolean {
  const [first = '', ...rest] = pattern.split('*')
  if (rest.length === 0) return queue === pattern
  if (!queue.startsWith(first)) return false
  const last = rest.pop()!
  let at = first.length
  for (const part of rest) {
    const found = queue.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return queue.length - last.length >= at && queue.endsWith(last)
}
