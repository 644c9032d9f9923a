import type { FieldTable } from '../../../wire/field-value.ts'
import { type Actor, demand } from '../access/actor.ts'
import { demandTopic } from '../access/demand-topic.ts'
import { describeResource } from '../describe-resource.ts'
import { ProtocolError } from '../protocol-error.ts'
import { assertAccess } from '../queue/declare-queue.ts'
import { addBinding, removeBinding } from '../vhost.ts'
import { makeBinding } from './binding.ts'
import { refuseDefaultExchange, stripLineBreaks } from './declare-exchange.ts'
import type { Binding, Destination } from './exchange.ts'
import { checkHeadersBinding } from './header-comparison.ts'

export interface BindRequest {
  readonly source: string
  readonly destinationKind: 'queue' | 'exchange'
  readonly destination: string
  readonly routingKey: string
  readonly arguments: FieldTable
}

/** Binding twice is binding once. */
export function bind(actor: Actor, request: BindRequest): void {
  const checked = checkRequest(actor, request)
  const source = actor.vhost.exchanges.get(checked.source)
  const destination = findDestination(actor, checked)
  if (!source) throw notFound(actor, 'exchange', checked.source)
  if (!destination) throw notFound(actor, checked.destinationKind, checked.destination)
  if (source.type === 'headers') checkHeadersBinding(checked.arguments)
  if (source.type === 'x-local-random') checkLocalBinding(checked, destination)
  if (destination.resourceKind === 'queue') assertAccess(actor, destination)
  addBinding(actor.vhost, makeBinding({ ...checked, source, destination }))
}

/** A local random exchange spreads over classic queues, whatever the key. */
function checkLocalBinding({ routingKey }: BindRequest, destination: Destination): void {
  const problem =
    routingKey !== ''
      ? `Non empty binding '${routingKey}' key not permitted`
      : destination.resourceKind !== 'queue'
        ? 'Destination not found'
        : destination.kind !== 'classic'
          ? `Queue type rabbit_${destination.kind}_queue not valid for this exchange type`
          : undefined
  if (problem !== undefined) throw new ProtocolError('PRECONDITION_FAILED', problem)
}

/** Unbinding what is not bound is fine. */
export function unbind(actor: Actor, request: BindRequest): void {
  const checked = checkRequest(actor, request)
  const source = actor.vhost.exchanges.get(checked.source)
  const destination = findDestination(actor, checked)
  if (!source || !destination) return
  if (destination.resourceKind === 'queue') assertAccess(actor, destination)
  const binding: Binding = makeBinding({ ...checked, source, destination })
  removeBinding(actor.vhost, binding)
}

function checkRequest(actor: Actor, request: BindRequest): BindRequest {
  const source = stripLineBreaks(request.source)
  const destination = stripLineBreaks(request.destination)
  demand(actor, 'write', { kind: request.destinationKind, name: destination })
  if (request.destinationKind === 'exchange') refuseDefaultExchange(destination)
  refuseDefaultExchange(source)
  demand(actor, 'read', { kind: 'exchange', name: source })
  const exchange = actor.vhost.exchanges.get(source)
  if (exchange) demandTopic(actor, 'read', { exchange, key: request.routingKey })
  return { ...request, source, destination }
}

function findDestination({ vhost }: Actor, request: BindRequest): Destination | undefined {
  return request.destinationKind === 'queue'
    ? vhost.queues.get(request.destination)
    : vhost.exchanges.get(request.destination)
}

function notFound({ vhost }: Actor, kind: 'queue' | 'exchange', name: string): ProtocolError {
  return new ProtocolError('NOT_FOUND', `no ${describeResource({ kind, name, vhost: vhost.name })}`)
}
