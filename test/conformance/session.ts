import type { Method } from '../../packages/warrenmq/src/wire/method-specs.ts'
import { describeMethod, describeReceived } from './describe-received.ts'
import { planStep, type Step } from './plan-step.ts'
import { type ChannelName, channelNames, type Operation, plainChannel } from './program.ts'
import { connectRaw, type RawClient, type Received } from './raw-client.ts'

/** What a client sees of one run: per channel, everything that came in, in its order. */
export type Observation = Readonly<Record<ChannelName | 'http', readonly string[]>>

/** A broker as one vhost of it is reached. */
export interface Address {
  readonly url: string
  readonly managementUrl: string
  readonly vhost: string
}

/** Two connections to a broker, over which one program after the other runs. */
export interface Session {
  /** Opens the channels for a program whose names get this prefix. */
  begin(prefix: string): Promise<void>
  plan(operation: Operation): Step
  send(step: Exclude<Step, { kind: 'wait' }>): Promise<void>
  observe(): Observation
  /** Opens again what was closed by an error, so that the program can go on. */
  reopen(): Promise<void>
  /** Closes the channels and deletes what the program has left behind. */
  clear(): Promise<void>
  end(): Promise<void>
}

interface ChannelLog {
  readonly name: ChannelName
  readonly number: number
  events: string[]
  readonly acked: Set<number>
  readonly nacked: Set<number>
  held: number[]
  isOpen: boolean
}

export async function openSession(address: Address): Promise<Session> {
  const logs = new Map(channelNames.map((name) => [name, createLog(name)]))
  const clients = new Map<string, RawClient>()
  const policies = new Set<string>()
  const given = createAliases()
  let http: string[] = []
  let prefix = ''
  let count = 0

  async function openConnections(): Promise<void> {
    for (const connection of ['a', 'b']) {
      if (clients.get(connection)?.isOpen) continue
      for (const log of logs.values()) if (log.name.startsWith(connection)) log.isOpen = false
      clients.set(connection, await connectRaw(address.url, (received) => record(connection, received)))
    }
  }

  /** All at once: a round trip each would be most of the time that a short program takes. */
  async function openChannels(): Promise<void> {
    await Promise.all([...logs.values()].filter(({ isOpen }) => !isOpen).map(openChannel))
  }

  async function openChannel(log: ChannelLog): Promise<void> {
    const client = clientOf(log)
    client.send(log.number, { name: 'channel.open' })
    Object.assign(log, { isOpen: true, held: [] } satisfies Partial<ChannelLog>)
    log.acked.clear()
    log.nacked.clear()
    if (log.name === plainChannel) {
      await client.expect(log.number, ['channel.open-ok'])
      return
    }
    client.send(log.number, { name: 'confirm.select', noWait: false })
    await client.expect(log.number, ['confirm.select-ok'])
  }

  function clientOf({ name }: ChannelLog): RawClient {
    return clients.get(name[0]!)!
  }

  function record(connection: string, received: Received): void {
    for (const log of logs.values()) {
      if (log.name[0] !== connection) continue
      if (received.channel === log.number) recordOn(log, received, given)
      else if (received.channel === 0 && received.method.name.startsWith('connection.close')) {
        log.isOpen = false
        log.events.push(given.replace(describeMethod(received.method)))
      }
    }
  }

  async function sendHttp({ method, path, body }: Extract<Step, { kind: 'http' }>): Promise<void> {
    if (method === 'PUT') policies.add(path)
    const answer = await callHttp(address, { method, path, body })
    http.push(`${method} ${answer}`)
  }

  async function send(step: Exclude<Step, { kind: 'wait' }>): Promise<void> {
    if (step.kind === 'nothing') return
    if (step.kind === 'http') {
      await sendHttp(step)
      return
    }
    const log = logs.get(step.on)!
    const client = clientOf(log)
    if (step.kind === 'close-connection') client.send(0, { ...goodbye, name: 'connection.close' })
    else if (step.kind === 'publish') client.publish(log.number, step.method, step.properties, step.body)
    else {
      noteSettled(log, step.method)
      client.send(log.number, step.method)
    }
  }

  async function closeChannels(): Promise<void> {
    const open = [...logs.values()].filter((log) => log.isOpen && clientOf(log).isOpen)
    await Promise.all(
      open.map(async (log) => {
        const client = clientOf(log)
        client.send(log.number, goodbye)
        await client.expect(log.number, ['channel.close-ok', 'channel.close'])
        log.isOpen = false
      }),
    )
  }

  /** What belongs to a connection alone can only be deleted over it. */
  async function deleteRemains(): Promise<void> {
    await openConnections()
    let remains = remainsOf(prefix, given.queues())
    given.clear()
    for (const client of clients.values()) {
      const isDeleted = await Promise.all(remains.map((method, at) => deleteOne(client, at + 10, method)))
      remains = remains.filter((_, at) => !isDeleted[at])
    }
    for (const path of policies) await callHttp(address, { method: 'DELETE', path, body: undefined })
    policies.clear()
  }

  await openConnections()
  return {
    begin: async (nextPrefix) => {
      prefix = nextPrefix
      http = []
      for (const log of logs.values()) log.events = []
      count = 0
      await openConnections()
      await openChannels()
    },
    plan: (operation) => {
      if (operation.do === 'publish') count += 1
      return planStep(operation, { prefix, vhost: address.vhost, count, held: (on) => logs.get(on)!.held })
    },
    send,
    observe: () =>
      Object.fromEntries([
        ...[...logs.values()].map((log) => [log.name, [...log.events, describeConfirms(log)]]),
        ['http', [...http]],
      ]) as Observation,
    reopen: async () => {
      await openConnections()
      await openChannels()
    },
    clear: async () => {
      await closeChannels()
      await deleteRemains()
    },
    end: async () => {
      for (const client of clients.values()) await client.close()
    },
  }
}

const goodbye = { name: 'channel.close', replyCode: 200, replyText: 'bye', classId: 0, methodId: 0 } as const

function createLog(name: ChannelName): ChannelLog {
  return {
    name,
    number: Number(name[1]),
    events: [],
    acked: new Set(),
    nacked: new Set(),
    held: [],
    isOpen: false,
  }
}

/** Two brokers give other names; what can be compared is which of them is meant. */
function createAliases(): { replace(text: string): string; queues(): readonly string[]; clear(): void } {
  const aliases = new Map<string, string>()
  return {
    replace: (text) =>
      text.replace(/amq\.(?:gen|ctag)-[\w-]{22}/g, (name) => {
        const alias = aliases.get(name) ?? `${name.slice(0, 8)}#${aliases.size + 1}`
        aliases.set(name, alias)
        return alias
      }),
    queues: () => [...aliases.keys()].filter((name) => name.startsWith('amq.gen')),
    clear: () => aliases.clear(),
  }
}

function recordOn(log: ChannelLog, received: Received, given: ReturnType<typeof createAliases>): void {
  const { method } = received
  switch (method.name) {
    case 'basic.ack':
    case 'basic.nack':
      recordConfirm(log, method)
      return
    case 'channel.open-ok':
    case 'confirm.select-ok':
      return
    case 'channel.close':
    case 'channel.close-ok':
      log.isOpen = false
      break
    case 'basic.deliver':
    case 'basic.get-ok':
      log.held.push(method.deliveryTag)
      break
    default:
  }
  log.events.push(given.replace(describeReceived(received)))
}

/** How confirms are put together is chance; which publishes are confirmed is not. */
function recordConfirm(log: ChannelLog, method: Method<'basic.ack'> | Method<'basic.nack'>): void {
  const tags = method.name === 'basic.ack' ? log.acked : log.nacked
  if (!method.multiple) {
    tags.add(method.deliveryTag)
    return
  }
  for (let tag = 1; tag <= method.deliveryTag; tag += 1) {
    if (!log.acked.has(tag) && !log.nacked.has(tag)) tags.add(tag)
  }
}

function describeConfirms({ acked, nacked }: ChannelLog): string {
  const inOrder = (tags: Set<number>): number[] => [...tags].sort((a, b) => a - b)
  return `acked ${inOrder(acked)} nacked ${inOrder(nacked)}`
}

function noteSettled(log: ChannelLog, method: Method): void {
  if (method.name === 'basic.recover') log.held = []
  if (method.name !== 'basic.ack' && method.name !== 'basic.nack' && method.name !== 'basic.reject') return
  const { deliveryTag } = method
  const isMultiple = method.name !== 'basic.reject' && method.multiple
  log.held = log.held.filter((tag) => (isMultiple ? tag > deliveryTag : tag !== deliveryTag))
}

function remainsOf(prefix: string, nameless: readonly string[]): readonly Method[] {
  return [
    ...[...['q1', 'q2', 'q3', 's1'].map((name) => prefix + name), ...nameless].map(
      (queue): Method => ({
        name: 'queue.delete',
        queue,
        ifUnused: false,
        ifEmpty: false,
        noWait: false,
      }),
    ),
    ...['x1', 'x2'].map(
      (name): Method => ({
        name: 'exchange.delete',
        exchange: prefix + name,
        ifUnused: false,
        noWait: false,
      }),
    ),
  ]
}

/** One channel each: an exclusive queue of the other connection is refused, and the refusal closes the channel. */
async function deleteOne(client: RawClient, channel: number, deletion: Method): Promise<boolean> {
  client.send(channel, { name: 'channel.open' })
  client.send(channel, deletion)
  const { name } = await client.expect(channel, ['queue.delete-ok', 'exchange.delete-ok', 'channel.close'])
  if (name === 'channel.close') return false
  client.send(channel, goodbye)
  await client.expect(channel, ['channel.close-ok'])
  return true
}

async function callHttp(
  { managementUrl }: Address,
  { method, path, body }: { method: string; path: string; body: object | undefined },
): Promise<string> {
  const target = new URL(`/api/${path}`, managementUrl)
  const credentials = Buffer.from(`${target.username}:${target.password}`).toString('base64')
  target.username = ''
  target.password = ''
  const answer = await fetch(target, {
    method,
    headers: { authorization: `Basic ${credentials}`, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  return `${answer.status} ${await answer.text()}`.trim()
}
