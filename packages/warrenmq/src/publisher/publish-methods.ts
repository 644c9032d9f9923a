import { encodePublish } from '../broker/amqp/encode-publish.ts'
import type { EncodedMessage } from './outgoing-message.ts'

type Address = Pick<EncodedMessage, 'exchange' | 'key' | 'mandatory'>

const mostKept = 1000

/** Gives the encoded method of a publish: it is the same for every message to one address, and most go to a few. */
export function createPublishMethods(): (address: Address) => Buffer {
  const methods = new Map<string, Buffer>()
  let last: { address: Address; method: Buffer } | undefined

  function find({ exchange, key, mandatory = true }: Address): Buffer {
    const name = `${mandatory ? 'm' : '-'}${exchange}\0${key}`
    let method = methods.get(name)
    if (method) return method
    if (methods.size >= mostKept) methods.clear()
    method = encodePublish({ exchange, routingKey: key, mandatory })
    methods.set(name, method)
    return method
  }

  return (address) => {
    // The next message mostly goes where the last one went; comparing is cheaper than making up a name.
    if (last && isSame(last.address, address)) return last.method
    const { exchange, key, mandatory } = address
    last = { address: { exchange, key, mandatory: mandatory ?? true }, method: find(address) }
    return last.method
  }
}

function isSame(one: Address, other: Address): boolean {
  return (
    one.key === other.key && one.exchange === other.exchange && one.mandatory === (other.mandatory ?? true)
  )
}
