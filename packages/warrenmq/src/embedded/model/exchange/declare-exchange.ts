import type { FieldTable } from '../../../wire/field-value.ts'
import { type Actor, demand, demandAny } from '../access/actor.ts'
import { assertSameArguments, assertSameProperty } from '../assert-same.ts'
import { describeResource } from '../describe-resource.ts'
import { lookUp, textOf, typeNameOf } from '../message/terms.ts'
import { ProtocolError } from '../protocol-error.ts'
import { policyOfExchange, removeExchange } from '../vhost.ts'
import { createExchange } from './create-exchange.ts'
import type { Exchange } from './exchange.ts'
import type { ExchangeType } from './exchange-type.ts'

export interface ExchangeDeclare {
  readonly exchange: string
  readonly type: string
  readonly durable: boolean
  readonly autoDelete: boolean
  readonly internal: boolean
  readonly arguments: FieldTable
}

export function declareExchange(actor: Actor, declare: ExchangeDeclare): void {
  const { vhost, broker } = actor
  const type = readType(actor, declare.type)
  const name = stripLineBreaks(declare.exchange)
  refuseDefaultExchange(name)
  demand(actor, 'configure', { kind: 'exchange', name })
  const existing = vhost.exchanges.get(name)
  if (existing) {
    assertSame(actor, existing, { ...declare, type })
    return
  }
  refuseReservedName('exchange', name)
  checkAlternate(actor, name, declare.arguments)
  vhost.exchanges.set(
    name,
    createExchange(
      {
        name,
        type,
        isDurable: declare.durable,
        isAutoDelete: declare.autoDelete,
        isInternal: declare.internal,
        arguments: declare.arguments,
      },
      { comparison: broker.profile.headerComparison, policy: policyOfExchange(vhost, name) },
    ),
  )
}

/** The passive declare: refuses when there is none. */
export function findExchange({ vhost }: Pick<Actor, 'vhost'>, name: string): Exchange {
  const exchange = vhost.exchanges.get(name)
  if (exchange) return exchange
  throw new ProtocolError('NOT_FOUND', `no ${describeExchange(vhost.name, name)}`)
}

export function passiveDeclareExchange(actor: Actor, exchange: string): void {
  const name = stripLineBreaks(exchange)
  refuseDefaultExchange(name)
  demandAny(actor, { kind: 'exchange', name })
  findExchange(actor, name)
}

/** Deleting an exchange that does not exist is fine. */
export function deleteExchange(
  actor: Actor,
  { exchange, ifUnused }: { exchange: string; ifUnused: boolean },
): void {
  const { vhost } = actor
  const name = stripLineBreaks(exchange)
  refuseDefaultExchange(name)
  if (name.startsWith('amq.')) {
    throw new ProtocolError(
      'ACCESS_REFUSED',
      `deletion of system ${describeExchange(vhost.name, name)} not allowed`,
    )
  }
  demand(actor, 'configure', { kind: 'exchange', name })
  const existing = vhost.exchanges.get(name)
  if (!existing) return
  if (ifUnused && existing.bindingCount > 0) {
    throw new ProtocolError('PRECONDITION_FAILED', `${describeExchange(vhost.name, name)} in use`)
  }
  removeExchange(vhost, existing)
}

export function refuseDefaultExchange(name: string): void {
  if (name !== '') return
  throw new ProtocolError('ACCESS_REFUSED', 'operation not permitted on the default exchange')
}

export function refuseReservedName(kind: 'queue' | 'exchange', name: string): void {
  if (!name.startsWith('amq.')) return
  throw new ProtocolError('ACCESS_REFUSED', `${kind} name '${name}' contains reserved prefix 'amq.*'`)
}

export function stripLineBreaks(name: string): string {
  return name.replaceAll(/[\n\r]/g, '')
}

function readType({ broker }: Actor, type: string): ExchangeType {
  const { exchangeTypes, unknownExchangeType } = broker.profile
  const known = exchangeTypes.find((name) => name === type)
  if (known) return known
  throw new ProtocolError(unknownExchangeType, `unknown exchange type '${type}'`)
}

function checkAlternate(actor: Actor, name: string, args: FieldTable): void {
  const alternate = lookUp(args, 'alternate-exchange')
  if (!alternate) return
  const alternateName = textOf(alternate)
  if (alternateName === undefined) {
    throw new ProtocolError(
      'PRECONDITION_FAILED',
      `invalid type '${typeNameOf(alternate)}' for arg 'alternate-exchange' in ${describeExchange(actor.vhost.name, name)}`,
    )
  }
  demand(actor, 'read', { kind: 'exchange', name })
  demand(actor, 'write', { kind: 'exchange', name: alternateName })
}

function assertSame({ vhost }: Actor, existing: Exchange, declare: ExchangeDeclare): void {
  const resource = describeExchange(vhost.name, existing.name)
  const pairs = [
    ['type', existing.type, declare.type],
    ['durable', existing.isDurable, declare.durable],
    ['auto_delete', existing.isAutoDelete, declare.autoDelete],
    ['internal', existing.isInternal, declare.internal],
  ] as const
  for (const [property, current, received] of pairs) {
    assertSameProperty({ property, resource, current, received })
  }
  assertSameArguments({
    keys: ['alternate-exchange'],
    resource,
    current: existing.arguments,
    received: declare.arguments,
  })
}

function describeExchange(vhost: string, name: string): string {
  return describeResource({ kind: 'exchange', name, vhost })
}
