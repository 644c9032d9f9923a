import type { QueueType } from './declaration.ts'

/** What RabbitMQ knows of a queue argument. An argument that is not here is accepted by every broker, and ignored. */
export interface KnownArgument {
  readonly value: ArgumentKind
  /** The queue types that act on it. */
  readonly types: readonly QueueType[]
  /** The first release that acts on it; older ones ignore it. */
  readonly since?: string
}

export type ArgumentKind =
  | { readonly kind: 'integer'; readonly minimum: number }
  | { readonly kind: 'text' }
  | { readonly kind: 'boolean' }
  | { readonly kind: 'choice'; readonly choices: readonly string[] }

const both: readonly QueueType[] = ['classic', 'quorum']
const every: readonly QueueType[] = ['classic', 'quorum', 'stream']
const integer = (minimum: number): ArgumentKind => ({ kind: 'integer', minimum })
const choice = (...choices: string[]): ArgumentKind => ({ kind: 'choice', choices })
const text: ArgumentKind = { kind: 'text' }

export const knownArguments: Readonly<Record<string, KnownArgument>> = {
  'x-message-ttl': { value: integer(0), types: both },
  'x-expires': { value: integer(1), types: both },
  'x-max-length': { value: integer(0), types: both },
  'x-max-length-bytes': { value: integer(0), types: every },
  'x-overflow': { value: choice('drop-head', 'reject-publish', 'reject-publish-dlx'), types: both },
  'x-dead-letter-exchange': { value: text, types: both },
  'x-dead-letter-routing-key': { value: text, types: both },
  'x-dead-letter-strategy': {
    value: choice('at-most-once', 'at-least-once'),
    types: ['quorum'],
    since: '3.10.0',
  },
  'x-delivery-limit': { value: integer(-1), types: ['quorum'] },
  'x-max-priority': { value: integer(0), types: ['classic'] },
  'x-queue-mode': { value: choice('default', 'lazy'), types: ['classic'] },
  'x-queue-version': { value: integer(1), types: ['classic'], since: '3.10.0' },
  'x-single-active-consumer': { value: { kind: 'boolean' }, types: both },
  'x-quorum-initial-group-size': { value: integer(1), types: ['quorum'] },
  'x-quorum-target-group-size': { value: integer(1), types: ['quorum'], since: '3.12.0' },
  'x-max-in-memory-length': { value: integer(0), types: ['quorum'] },
  'x-max-in-memory-bytes': { value: integer(0), types: ['quorum'] },
  'x-queue-leader-locator': { value: text, types: every },
  'x-queue-master-locator': { value: text, types: ['classic'] },
  'x-max-age': { value: text, types: ['stream'] },
  'x-stream-max-segment-size-bytes': { value: integer(1), types: ['stream'] },
  'x-stream-filter-size-bytes': { value: integer(16), types: ['stream'], since: '3.13.0' },
  'x-initial-cluster-size': { value: integer(1), types: ['stream'] },
  'x-consumer-timeout': { value: integer(1), types: ['quorum'], since: '4.3.0' },
  'x-delayed-retry-type': {
    value: choice('disabled', 'all', 'failed', 'returned'),
    types: ['quorum'],
    since: '4.3.0',
  },
  'x-delayed-retry-min': { value: integer(0), types: ['quorum'], since: '4.3.0' },
  'x-delayed-retry-max': { value: integer(0), types: ['quorum'], since: '4.3.0' },
}

/** Why a value cannot be the argument's, or undefined where it can. */
export function argumentProblem(name: string, value: unknown): string | undefined {
  const known = Object.hasOwn(knownArguments, name) ? knownArguments[name] : undefined
  if (known === undefined) return undefined
  return kindProblem(known.value, value)
}

function kindProblem(kind: ArgumentKind, value: unknown): string | undefined {
  const shown = JSON.stringify(value)
  switch (kind.kind) {
    case 'integer':
      if (Number.isSafeInteger(value) && (value as number) >= kind.minimum) return undefined
      return `must be a whole number of at least ${kind.minimum}, not ${shown}`
    case 'text':
      return typeof value === 'string' ? undefined : `must be text, not ${shown}`
    case 'boolean':
      return typeof value === 'boolean' ? undefined : `must be true or false, not ${shown}`
    case 'choice':
      if (typeof value === 'string' && kind.choices.includes(value)) return undefined
      return `must be one of ${kind.choices.join(', ')}, not ${shown}`
  }
}
