import type { Channel, Operation } from './list-operations.ts'

/** The keys of a document, and references to what stands there. */
export class DocumentIds {
  readonly #channels = createIds()
  readonly #operations = createIds()
  readonly #messages = createIds()

  channel({ is, address, exchange = '' }: Channel): string {
    return this.#channels(
      [is, exchange, address].join('\0'),
      [exchange, address].filter((part) => part !== '').join(':'),
    )
  }

  operation({ action, channel, messages }: Operation): string {
    const name = `${action}.${action === 'send' ? messages[0] : channel.address}`
    return this.#operations(name, name)
  }

  message(name: string): string {
    return this.#messages(name, name)
  }

  channelPlace(channel: Channel): string {
    return `#/channels/${this.channel(channel)}`
  }

  messagePlace(name: string): string {
    return `#/components/messages/${this.message(name)}`
  }

  schemaPlace(name: string): string {
    return `#/components/schemas/${this.message(name)}`
  }
}

/** Each subject has a key that AsyncAPI allows, and no two have the same. */
function createIds(): (subject: string, name: string) => string {
  const ids = new Map<string, string>()
  const taken = new Set<string>()
  return (subject, name) => {
    const known = ids.get(subject)
    if (known !== undefined) return known
    const plain = name.replace(/[^\w.-]/g, '_') || '_'
    let id = plain
    for (let count = 2; taken.has(id); count += 1) id = `${plain}-${count}`
    taken.add(id)
    ids.set(subject, id)
    return id
  }
}
