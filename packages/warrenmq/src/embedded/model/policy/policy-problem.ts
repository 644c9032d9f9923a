import { readPattern, sayNotModelled } from '../access/name-pattern.ts'
import type { Profile } from '../profile.ts'
import { parseMaxAge } from '../queue/queue-settings.ts'
import { findMirroringProblem, renderTerm } from './mirroring-problem.ts'
import type { Policy, PolicyDefinition, PolicyValue } from './policies.ts'

/** What RabbitMQ would object to in a policy, in its words; undefined when it would take it. */
export function findPolicyProblem(
  policy: Policy,
  { profile, isOperator }: { profile: Profile; isOperator: boolean },
): string | undefined {
  const problems = [
    findDefinitionProblem(policy, isOperator ? profile.operatorPolicyKeys : profile.policyKeys, profile),
    findPriorityProblem(policy),
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

/** Whoever asks sends anything for it. */
function findPriorityProblem({ priority }: { readonly priority: unknown }): string | undefined {
  if (typeof priority === 'number') return undefined
  return `priority should be a number, actually was ${renderTerm(priority as PolicyValue)}`
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
      return words.problem?.(value, profile) ?? `${renderTerm(value)} is not a valid ${words.name}`
    }
  }
  const special = findSpecialProblem(definition, profile)
  if (special !== undefined) return special
  const unknown = entries.filter(([key]) => !knownKeys.includes(key))
  if (unknown.length === 0) return undefined
  const shown = unknown.map(([key, value]) => `{<<"${key}">>,${renderTerm(value)}}`).join(',')
  return `[${shown}] are not recognised policy settings`
}

/** What has rules of its own, beyond one value at a time. */
function findSpecialProblem(definition: PolicyDefinition, profile: Profile): string | undefined {
  if (profile.takesMirroring) return findMirroringProblem(definition)
  const type = definition['delayed-retry-type']
  if (!profile.settings.hasDelayedRetry || type === undefined || type === 'disabled') return undefined
  return 'delayed-retry-min' in definition
    ? undefined
    : `delayed-retry-min is required when delayed-retry-type is ${String(type)}`
}

interface Rule {
  readonly name: string
  readonly isValid: (value: PolicyValue, profile: Profile) => boolean
  /** Where it is not worded as the others are. */
  readonly problem?: (value: PolicyValue, profile: Profile) => string
}

const isText = (value: PolicyValue): boolean => typeof value === 'string'
const isAtLeast = (least: number) => (value: PolicyValue) => Number.isInteger(value) && Number(value) >= least
const isOneOf =
  (...allowed: readonly PolicyValue[]) =>
  (value: PolicyValue) =>
    allowed.includes(value)

const masterLocatorProblems: Readonly<Record<Profile['masterLocator'], (value: string) => string>> = {
  strict: (value) => `${value} invalid queue-master-locator value`,
  lenient: (value) => `${value} is not a valid master locator`,
  refused: () => 'use of deprecated queue-master-locator argument is not permitted',
}

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
  'queue-master-locator': {
    name: 'master locator',
    isValid: (value, { masterLocator }) =>
      masterLocator !== 'refused' && isOneOf('min-masters', 'client-local', 'random')(value),
    problem: (value, { masterLocator }) => masterLocatorProblems[masterLocator](renderTerm(value)),
  },
  'delayed-retry-type': {
    name: 'delayed retry type. Must be one of: all, failed, returned, disabled',
    isValid: isOneOf('all', 'failed', 'returned', 'disabled'),
  },
  'delayed-retry-min': {
    name: 'delayed retry minimum delay. Must be a positive integer',
    isValid: isAtLeast(1),
  },
  'delayed-retry-max': {
    name: 'delayed retry maximum delay. Must be a positive integer',
    isValid: isAtLeast(1),
  },
  'initial-cluster-size': { name: 'cluster size', isValid: isAtLeast(0) },
  'stream-max-segment-size-bytes': { name: 'segment size', isValid: isAtLeast(0) },
}
