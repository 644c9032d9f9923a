import { encodeTable } from '../../../wire/encode-table.ts'
import { sortTable } from '../message/terms.ts'
import type { Binding } from './exchange.ts'

export function makeBinding({ source, destination, routingKey, arguments: args }: Binding): Binding {
  return { source, destination, routingKey, arguments: sortTable(args) }
}

/** Two bindings with the same id are one binding. */
export function idOfBinding({ source, destination, routingKey, arguments: args }: Binding): string {
  return JSON.stringify([
    source.name,
    destination.resourceKind,
    destination.name,
    routingKey,
    args.length === 0 ? '' : encodeTable(args).toString('latin1'),
  ])
}
