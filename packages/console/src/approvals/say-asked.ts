import type { Schemas } from '../api/api.ts'
import { formatCounted } from '../words/format-count.ts'

type Approval = Schemas['Approval']

export const approvalTones: Readonly<Record<Approval['state'], 'warn' | 'good' | 'bad' | 'plain'>> = {
  waiting: 'warn',
  granted: 'good',
  refused: 'bad',
  expired: 'plain',
}

/** What is asked for, as a sentence without its full stop. */
export function sayAsked({ asks, messages }: Pick<Approval, 'asks' | 'messages'>): string {
  if (asks.action === 'apply') return 'Change the topology'
  const count = messages === null ? 'messages' : `up to ${formatCounted(messages, 'message')}`
  return asks.action === 'redrive'
    ? `Re-drive ${count} of ${asks.request.queue}`
    : `Remove ${count} of ${asks.queue}`
}

/** Why the reader cannot grant it; undefined: they can. */
export function whyNotGrant({ by, state, isSigned }: Approval, me: string): string | undefined {
  if (state !== 'waiting') return `It was ${state} already.`
  if (!isSigned) return 'This request is not signed, so nothing proves who made it.'
  return by === me ? 'A second person has to grant what you asked for.' : undefined
}
