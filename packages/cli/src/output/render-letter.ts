import type { DeadLetter } from 'warrenmq'
import { escapeLine } from 'warrenmq/operations'

/** What a message is and where it came from, for people: what stands above its headers. */
export function renderLetter({ type, publishedTo, properties }: DeadLetter): readonly string[] {
  const { exchange, key } = publishedTo
  const others = Object.entries(properties).map(([name, value]) => `${amqpName(name)} ${value}`)
  return [
    ...(type === undefined ? [] : [`type ${type}`]),
    `key ${key === '' ? '(empty)' : key}, exchange ${exchange === '' ? '(default)' : exchange}`,
    ...(others.length === 0 ? [] : [others.join(', ')]),
  ].map(escapeLine)
}

/** As AMQP writes it: `content-type`. */
function amqpName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}
