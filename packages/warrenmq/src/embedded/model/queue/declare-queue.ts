import type { FieldTable } from '../../../wire/field-value.ts'
import { type Actor, demand } from '../access/actor.ts'
import { checkQueueLimit } from '../access/limits.ts'
import { assertSameArguments, assertSameProperty } from '../assert-same.ts'
import { createClassicQueue } from '../classic/classic-queue.ts'
import { removeQueue, surroundingsOf } from '../create-broker.ts'
import { describeResource } from '../describe-resource.ts'
import { refuseReservedName, stripLineBreaks } from '../exchange/declare-exchange.ts'
import { lookUp, setSorted, textOf, typeNameOf } from '../message/terms.ts'
import { ProtocolError } from '../protocol-error.ts'
import { createQuorumQueue } from '../quorum/quorum-queue.ts'
import { createStreamQueue } from '../stream/stream-queue.ts'
import { policyOfQueue } from '../vhost.ts'
import { checkQueueArguments, readQueueKind } from './check-queue-arguments.ts'
import type { Queue, QueueDeclaration } from './queue.ts'
import { resolveSettings } from './queue-settings.ts'

export interface QueueDeclare {
  readonly queue: string
  readonly durable: boolean
  readonly exclusive: boolean
  readonly autoDelete: boolean
  readonly arguments: FieldTable
}

/** Declares a queue, or finds that it stands as asked. An empty name asks the broker for one. */
export function declareQueue(actor: Actor, declare: QueueDeclare): Queue {
  const args = completeArguments(actor, declare)
  const name = chooseName(actor, stripLineBreaks(declare.queue), args)
  demand(actor, 'configure', { kind: 'queue', name })
  const existing = actor.vhost.queues.get(name)
  const isDurable = declare.durable && !declare.exclusive
  if (existing) {
    assertSame(actor, existing, { ...declare, durable: isDurable, arguments: args })
    existing.touch()
    return existing
  }
  return createQueue(actor, { ...declare, queue: name, durable: isDurable })
}

/** The passive declare: refuses when there is none, or when it is another connection's own. */
export function findQueue(actor: Actor, queue: string): Queue {
  const found = actor.vhost.queues.get(queue)
  if (!found) throw new ProtocolError('NOT_FOUND', `no ${describeQueue(actor, queue)}`)
  assertAccess(actor, found)
  return found
}

/** Gives how many messages were in it; deleting a queue that does not exist is fine. */
export function deleteQueue(
  actor: Actor,
  { queue: name, ifUnused, ifEmpty }: { queue: string; ifUnused: boolean; ifEmpty: boolean },
): number {
  demand(actor, 'configure', { kind: 'queue', name })
  const queue = actor.vhost.queues.get(name)
  if (!queue) return 0
  assertAccess(actor, queue)
  if (queue.kind === 'quorum' && (ifUnused || ifEmpty)) throw conditionalDelete(actor, name, ifUnused)
  const { ready, consumers } = queue.counts()
  if (queue.kind === 'classic') {
    if (ifEmpty && ready > 0) throw preconditionFailed(`${describeQueue(actor, name)} not empty`)
    if (ifUnused && consumers > 0) throw preconditionFailed(`${describeQueue(actor, name)} in use`)
  }
  removeQueue(actor.broker, actor.vhost, queue)
  return queue.kind === 'stream' ? 0 : ready
}

export function purgeQueue(actor: Actor, name: string): number {
  demand(actor, 'read', { kind: 'queue', name })
  return findQueue(actor, name).purge()
}

/** The durable part of a definition, made by an import or the HTTP API, has no connection as its owner. */
export function createQueue(actor: Actor, declare: QueueDeclare): Queue {
  const { broker, vhost } = actor
  const { profile } = broker
  const resource = describeQueue(actor, declare.queue)
  const args = completeArguments(actor, declare)
  if (profile.checksQueueLimitFirst) checkQueueLimit(vhost, declare.queue)
  checkDeadLetterExchange(actor, declare, resource)
  const kind = readQueueKind(args, resource, profile)
  checkQueueArguments({ kind, arguments: args }, resource, profile)
  if (!profile.checksQueueLimitFirst) checkQueueLimit(vhost, declare.queue)
  const declaration: QueueDeclaration = {
    vhost: vhost.name,
    name: declare.queue,
    kind,
    isDurable: declare.durable,
    isAutoDelete: declare.autoDelete,
    owner: declare.exclusive ? actor.connection : undefined,
    arguments: args,
  }
  if (kind !== 'classic') refuseProperties(declaration, resource)
  const policy = policyOfQueue(vhost, declaration, profile)
  const settings = resolveSettings(declaration, policy.definition, profile.settings)
  const queue = creators[kind](declaration, { settings, policy }, surroundingsOf(broker, vhost))
  vhost.queues.set(declaration.name, queue)
  return queue
}

const creators = { classic: createClassicQueue, quorum: createQuorumQueue, stream: createStreamQueue }

/** From 4.0 on every queue is stored with its type, also when the client named none. */
function completeArguments({ broker, vhost }: Actor, declare: QueueDeclare): FieldTable {
  const args = declare.arguments
  if (lookUp(args, 'x-queue-type')) return args
  const isReplicable = declare.durable && !declare.exclusive && !declare.autoDelete
  const byDefault = vhost.defaultQueueType
  if (byDefault !== undefined && (isReplicable || byDefault === 'classic')) return withType(args, byDefault)
  return broker.profile.addsQueueTypeArgument ? withType(args, 'classic') : args
}

function withType(args: FieldTable, type: string): FieldTable {
  return setSorted(args, [{ name: 'x-queue-type', value: { type: 'S', value: type } }])
}

function chooseName({ broker }: Actor, asked: string, args: FieldTable): string {
  if (asked !== '') {
    refuseReservedName('queue', asked)
    return asked
  }
  const kind = textOf(lookUp(args, 'x-queue-type')) ?? 'classic'
  if (kind === 'quorum' || kind === 'stream') {
    throw preconditionFailed(`Cannot declare a server-named queue for type rabbit_${kind}_queue`)
  }
  return broker.names('amq.gen')
}

function checkDeadLetterExchange(actor: Actor, declare: QueueDeclare, resource: string): void {
  const exchange = lookUp(declare.arguments, 'x-dead-letter-exchange')
  if (!exchange) return
  const name = textOf(exchange)
  if (name === undefined) {
    throw preconditionFailed(
      `invalid type '${typeNameOf(exchange)}' for arg 'x-dead-letter-exchange' in ${resource}`,
    )
  }
  demand(actor, 'read', { kind: 'queue', name: declare.queue })
  demand(actor, 'write', { kind: 'exchange', name })
}

/** Quorum queues and streams are replicated, so they can be neither one connection's own nor passing. */
function refuseProperties({ isAutoDelete, isDurable, owner }: QueueDeclaration, resource: string): void {
  if (isAutoDelete) throw preconditionFailed(`invalid property 'auto-delete' for ${resource}`)
  if (owner) throw preconditionFailed(`invalid property 'exclusive-owner' for ${resource}`)
  if (!isDurable) throw preconditionFailed(`invalid property 'non-durable' for ${resource}`)
}

function assertSame(actor: Actor, existing: Queue, declare: QueueDeclare): void {
  const resource = describeQueue(actor, existing.name)
  const owner = declare.exclusive ? actor.connection : undefined
  if (existing.owner !== owner) throw locked(resource)
  assertSameProperty({
    property: 'durable',
    resource,
    current: existing.isDurable,
    received: declare.durable,
  })
  assertSameProperty({
    property: 'auto_delete',
    resource,
    current: existing.isAutoDelete,
    received: declare.autoDelete,
  })
  assertSameArguments({
    keys: actor.broker.profile.queueArguments[existing.kind],
    resource,
    current: existing.arguments,
    received: declare.arguments,
  })
}

/** Refuses the use of a queue that is another connection's own. */
export function assertAccess(actor: Actor, queue: Queue): void {
  if (queue.owner && queue.owner !== actor.connection) throw locked(describeQueue(actor, queue.name))
}

function locked(resource: string): ProtocolError {
  return new ProtocolError(
    'RESOURCE_LOCKED',
    `cannot obtain exclusive access to locked ${resource}. It could be originally declared on another connection ` +
      'or the exclusive property value does not match that of the original declaration.',
  )
}

function conditionalDelete(actor: Actor, name: string, ifUnused: boolean): ProtocolError {
  const flag = ifUnused ? 'if-unused' : 'if-empty'
  return new ProtocolError(
    'NOT_IMPLEMENTED',
    `cannot delete ${describeQueue(actor, name)}. queue.delete operations with ${flag} flag set are not supported by quorum queues`,
  )
}

function preconditionFailed(explanation: string): ProtocolError {
  return new ProtocolError('PRECONDITION_FAILED', explanation)
}

function describeQueue({ vhost }: Actor, name: string): string {
  return describeResource({ kind: 'queue', name, vhost: vhost.name })
}
