import { readPattern, sayNotModelled } from './name-pattern.ts'
import type { Policy, PolicyValue } from './policies.ts'
import type { Profile } from './profile.ts'
import { parseMaxAge } from './queue-settings.ts'

/** What RabbitMQ would object to in a policy, in its words; undefined when it would take it. */
export function findPolicyProblem(
  policy: Policy,
  { profile, isOperator }: { profile: Profile; isOperator: boolean },
): string | undefined {
  const problems = [
    findDefinitionProblem(policy, isOperator ? profile.operatorPolicyKeys : profile.policyKeys, profile),
    findTargetProblem(policy, profile),
    findPatternProblem(policy.pattern),
  ].filter((problem) => problem !== undefined)
  return problems.length === 0 ? undefined : `Validation failed\n\n${problems.join('\n')}\n`
}

function findPatternProblem(pattern: string): string | undefined {
  const read = readPattern(pattern)
  if (read.kind === 'pattern') return undefined
  return read.kind === 'invalid'
    ? `pattern should be regular expression but is invalid: ${JSON.stringify(pattern)}`
    : sayNotModelled(read.part)
}

function findTargetProblem({ applyTo }: Policy, profile: Profile): string | undefined {
  if (profile.policyTargets.includes(applyTo)) return undefined
  const known =
    profile.policyTargets.length === 3
      ? "should be 'queues', 'exchanges' or 'all'"
      : "should be one of: 'queues', 'classic_queues',  'quorum_queues', 'streams', 'exchanges', or 'all'"
  return `apply-to '${applyTo}' unrecognised; ${known}`
}

function findDefinitionProblem(
  { definition }: Policy,
  knownKeys: readonly string[],
  profile: Profile,
): string | undefined {
  const entries = Object.entries(definition).toSorted(([a], [b]) => (a < b ? -1 : 1))
  if (entries.length === 0) return 'no policy provided'
  for (const [key, value] of entries) {
    const words = rules[key]
    if (knownKeys.includes(key) && words && !words.isValid(value, profile)) {
      return `${renderValue(value)} is not a valid ${words.name}`
    }
  }
  const unknown = entries.filter(([key]) => !knownKeys.includes(key))
  if (unknown.length === 0) return undefined
  const shown = unknown.map(([key, value]) => `{<<"${key}">>,${renderValue(value)}}`).join(',')
  return `[${shown}] are not recognised policy settings`
}

interface Rule {
  readonly name: string
  readonly isValid: (value: PolicyValue, profile: Profile) => boolean
}

const isText = (value: PolicyValue): boolean => typeof value === 'string'
const isAtLeast = (least: number) => (value: PolicyValue) => Number.isInteger(value) && Number(value) >= least
const isOneOf =
  (...allowed: readonly PolicyValue[]) =>
  (value: PolicyValue) =>
    allowed.includes(value)

const rules: Readonly<Record<string, Rule>> = {
  'alternate-exchange': { name: 'alternate exchange name', isValid: isText },
  'dead-letter-exchange': { name: 'dead letter exchange name', isValid: isText },
  'dead-letter-routing-key': { name: 'dead letter routing key', isValid: isText },
  'dead-letter-strategy': { name: 'dead letter strategy', isValid: isOneOf('at-most-once', 'at-least-once') },
  'message-ttl': { name: 'message TTL', isValid: isAtLeast(0) },
  expires: { name: 'queue expiry', isValid: isAtLeast(1) },
  'max-length': { name: 'maximum length', isValid: isAtLeast(0) },
  'max-length-bytes': { name: 'maximum length in bytes', isValid: isAtLeast(0) },
  'max-in-memory-length': { name: 'maximum memory in bytes', isValid: isAtLeast(0) },
  'max-in-memory-bytes': { name: 'maximum memory in bytes', isValid: isAtLeast(0) },
  'queue-mode': { name: 'queue-mode value', isValid: isOneOf('default', 'lazy') },
  'queue-version': { name: 'queue-version value', isValid: isOneOf(1, 2) },
  overflow: { name: 'overflow value', isValid: isOneOf('drop-head', 'reject-publish', 'reject-publish-dlx') },
  'delivery-limit': {
    name: 'delivery limit',
    isValid: (value, profile) =>
      Number.isInteger(value) && (profile.allowsNegativeDeliveryLimitPolicy || Number(value) >= 0),
  },
  'consumer-timeout': { name: 'consumer timeout', isValid: isAtLeast(0) },
  'consumer-disconnected-timeout': { name: 'consumer disconnected timeout', isValid: isAtLeast(0) },
  'max-age': { name: 'max age', isValid: (value) => parseMaxAge(String(value)) !== undefined },
  'queue-leader-locator': {
    name: 'queue leader locator value',
    isValid: isOneOf('client-local', 'balanced', 'random', 'least-leaders'),
  },
  'initial-cluster-size': { name: 'cluster size', isValid: isAtLeast(0) },
  'stream-max-segment-size-bytes': { name: 'segment size', isValid: isAtLeast(0) },
}

function renderValue(value: PolicyValue): string {
  return typeof value === 'string' ? `<<"${value}">>` : String(value)
}
