import type { Schemas } from '../api/api.ts'

type Named = Pick<Schemas['MessageSummary'], 'type' | 'routingKey' | 'id'>

/** What a message is called: by its type, else by its routing key, unless all messages of the queue have that. */
export function nameOfMessage({ type, routingKey, id }: Named, queue: string): string {
  const key = routingKey === '' || routingKey === queue ? undefined : routingKey
  return type ?? key ?? id ?? 'Message without type and id'
}
