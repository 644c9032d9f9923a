import type { FieldTable, FieldValue } from '../../../wire/field-value.ts'
import { integerOf, lookUp, renderTerm, textOf, typeNameOf } from '../message/terms.ts'
import type { Profile } from '../profile.ts'
import { ProtocolError, stumble } from '../protocol-error.ts'
import type { QueueKind } from './queue-kind.ts'
import { parseMaxAge } from './queue-settings.ts'

/** Refuses arguments of a queue that RabbitMQ refuses, with its words. */
export function checkQueueArguments(
  { kind, arguments: args }: { kind: QueueKind; arguments: FieldTable },
  resource: string,
  profile: Profile,
): void {
  const known = profile.queueArguments[kind]
  for (const name of profile.checkedArguments) {
    if (known.includes(name)) checkValue(name, args, resource, profile)
  }
  refuseForeign({ kind, args, resource, byKind: profile.queueArguments })
  checkMasterLocator(args, profile)
}

/** RabbitMQ looks at it only when it chooses a node, and stumbles there. */
function checkMasterLocator(args: FieldTable, { masterLocator }: Profile): void {
  const value = lookUp(args, 'x-queue-master-locator')
  if (!value || masterLocator === 'lenient') return
  if (masterLocator === 'refused') throw new ProtocolError('INTERNAL_ERROR', deprecatedLocator)
  if (!['min-masters', 'client-local', 'random'].includes(textOf(value) ?? '')) throw stumble()
}

const deprecatedLocator =
  'Feature `queue_master_locator` is deprecated.\nBy default, this feature is not permitted anymore.\n' +
  'The feature will be removed from a future major RabbitMQ version, regardless of the configuration; actual version ' +
  'to be determined.\nTo continue using this feature when it is not permitted by default, set the following parameter.'

/** The same for the arguments of a consumer. */
export function checkConsumerArguments(
  { kind, arguments: args }: { kind: QueueKind; arguments: FieldTable },
  resource: string,
  profile: Profile,
): void {
  const known = profile.consumerArguments[kind]
  for (const name of ['x-priority', 'x-consumer-timeout', 'x-cancel-on-ha-failover', 'x-stream-offset']) {
    if (known.includes(name)) checkValue(name, args, resource, profile)
  }
  refuseForeign({ kind, args, resource, byKind: profile.consumerArguments })
}

/** The kind of queue that the arguments ask for. Comes first: what else is allowed depends on it. */
export function readQueueKind(args: FieldTable, resource: string, profile: Profile): QueueKind {
  checkValue('x-queue-type', args, resource, profile)
  return (textOf(lookUp(args, 'x-queue-type')) ?? 'classic') as QueueKind
}

const moduleNames: Readonly<Record<QueueKind, string>> = {
  classic: 'rabbit_classic_queue',
  quorum: 'rabbit_quorum_queue',
  stream: 'rabbit_stream_queue',
}

/** An argument of another kind of queue is refused; one that no kind knows is let pass. */
function refuseForeign({
  kind,
  args,
  resource,
  byKind,
}: {
  kind: QueueKind
  args: FieldTable
  resource: string
  byKind: Readonly<Record<QueueKind, readonly string[]>>
}): void {
  for (const { name } of args) {
    if (byKind[kind].includes(name) || !Object.values(byKind).some((names) => names.includes(name))) continue
    throw new ProtocolError(
      'PRECONDITION_FAILED',
      `invalid arg '${name}' for ${resource} of queue type ${moduleNames[kind]}`,
    )
  }
}

function checkValue(name: string, args: FieldTable, resource: string, profile: Profile): void {
  const value = lookUp(args, name)
  const problem = value && checks[name]?.(value, { args, profile })
  if (problem === undefined) return
  throw new ProtocolError('PRECONDITION_FAILED', `invalid arg '${name}' for ${resource}: ${problem}`)
}

interface CheckContext {
  readonly args: FieldTable
  readonly profile: Profile
}

/** Gives the problem as RabbitMQ prints it, or nothing. */
type Check = (value: FieldValue, context: CheckContext) => string | undefined

const tenYearsMs = 315_360_000_000

const checkInteger: Check = (value) =>
  integerOf(value) === undefined ? `"expected integer, got ${typeNameOf(value)}"` : undefined

const checkNotNegative: Check = (value, context) =>
  checkInteger(value, context) ?? (integerOf(value)! < 0 ? `{value_negative,${integerOf(value)}}` : undefined)

const checkDuration: Check = (value, context) =>
  checkNotNegative(value, context) ??
  (integerOf(value)! > tenYearsMs ? `{value_too_large,${integerOf(value)}}` : undefined)

const checkNotZero: Check = (value) => (integerOf(value) === 0 ? '{value_zero,0}' : undefined)

const checkText: Check = (value) =>
  value.type === 'S' ? undefined : `{unacceptable_type,${typeNameOf(value)}}`

const checkBoolean: Check = (value) =>
  value.type === 't' ? undefined : `{unacceptable_type,${typeNameOf(value)}}`

function checkOneOf(texts: readonly string[], problem: (text: string) => string): Check {
  return (value, context) =>
    checkText(value, context) ?? (texts.includes(textOf(value)!) ? undefined : problem(textOf(value)!))
}

const checks: Readonly<Record<string, Check>> = {
  'x-expires': (value, context) =>
    checkInteger(value, context) ?? checkNotZero(value, context) ?? checkDuration(value, context),
  'x-message-ttl': checkDuration,
  'x-dead-letter-exchange': checkText,
  'x-dead-letter-routing-key': (value, context) =>
    checkText(value, context) ??
    (lookUp(context.args, 'x-dead-letter-exchange') ? undefined : 'routing_key_but_no_dlx_defined'),
  'x-dead-letter-strategy': checkOneOf(['at-most-once', 'at-least-once'], () => 'invalid_dlx_strategy'),
  'x-max-length': checkNotNegative,
  'x-max-length-bytes': checkNotNegative,
  'x-max-in-memory-length': checkNotNegative,
  'x-max-in-memory-bytes': checkNotNegative,
  'x-max-priority': (value, context) =>
    checkNotNegative(value, context) ??
    (integerOf(value)! > 255 ? `{max_value_exceeded,${integerOf(value)}}` : undefined),
  'x-overflow': checkOneOf(['drop-head', 'reject-publish', 'reject-publish-dlx'], () => 'invalid_overflow'),
  'x-queue-mode': checkOneOf(['default', 'lazy'], (text) => `"unsupported queue mode '${text}'"`),
  'x-queue-version': (value, context) =>
    checkNotNegative(value, context) ?? checkQueueVersion(integerOf(value)!, context.profile),
  'x-single-active-consumer': checkBoolean,
  'x-queue-type': checkOneOf(['classic', 'quorum', 'stream'], (text) => `"unsupported queue type '${text}'"`),
  'x-quorum-initial-group-size': (value, context) =>
    checkNotNegative(value, context) ?? checkNotZero(value, context),
  'x-initial-cluster-size': (value, context) =>
    checkNotNegative(value, context) ?? checkNotZero(value, context),
  'x-max-age': (value, context) => checkText(value, context) ?? checkMaxAge(textOf(value)!, context.profile),
  'x-stream-max-segment-size-bytes': checkNotNegative,
  'x-stream-filter-size-bytes': checkNotNegative,
  'x-queue-leader-locator': checkOneOf(
    ['client-local', 'balanced', 'random', 'least-leaders'],
    () => 'invalid_queue_locator_arg',
  ),
  'x-consumer-timeout': checkNotNegative,
  'x-consumer-disconnected-timeout': checkNotNegative,
  'x-priority': checkInteger,
  'x-cancel-on-ha-failover': checkBoolean,
  'x-stream-offset': checkStreamOffset,
}

function checkQueueVersion(version: number, profile: Profile): string | undefined {
  if (version === 2 || (version === 1 && profile.allowsQueueVersion1)) return undefined
  return `"unsupported queue version '${version}'"`
}

function checkMaxAge(text: string, { stumblesOverAges }: Profile): string | undefined {
  if (parseMaxAge(text) !== undefined) return undefined
  if (stumblesOverAges && !/^\d/.test(text)) throw stumble()
  return 'invalid_max_age'
}

function checkStreamOffset(value: FieldValue, { profile }: CheckContext): string | undefined {
  const text = textOf(value)
  if (text === undefined || ['first', 'last', 'next'].includes(text)) return undefined
  if (checkMaxAge(text, profile) === undefined) return undefined
  return `{invalid_stream_offset_arg,{${typeNameOf(value)},${renderTerm(value)}}}`
}
