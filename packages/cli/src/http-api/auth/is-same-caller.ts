import type { Caller } from './caller.ts'

/** What tells callers apart; without a way in it is the server itself. */
export interface CallerName {
  readonly name: string
  readonly wayIn?: Caller['wayIn'] | undefined
}

/** A token, or somebody of a provider, may be named as an account of RabbitMQ is, and is not that account. */
export function isSameCaller(left: CallerName, right: CallerName): boolean {
  return left.name === right.name && left.wayIn === right.wayIn
}
