import type { AmqpChannel } from '../../broker/amqp/channel.ts'
import { declareQueue, inspectExchange, inspectQueue } from '../../broker/amqp/declarations.ts'
import { ChannelError } from '../../errors.ts'
import type { DeclaredQueue } from '../../topology/queue-flow.ts'
import { type PlainTable, toFieldTable } from '../../wire/plain-fields.ts'
import {
  type Presence,
  type SeenArguments,
  type SeenQueue,
  type WaySeen,
  wayArguments,
} from './decide-way-out.ts'
import type { WayStep } from './plan-way-out.ts'

/**
 * Looks at the way of a failed message over AMQP, without touching anything. Whatever is refused closes the channel
 * it was asked on, so it is asked on one of its own.
 */
export async function lookByAmqp({
  steps,
  declared,
  openChannel,
}: {
  readonly steps: readonly WayStep[]
  readonly declared: readonly DeclaredQueue[]
  readonly openChannel: () => Promise<AmqpChannel>
}): Promise<Pick<WaySeen, 'queues' | 'exchanges'>> {
  const asker = createAsker(openChannel)
  const queues = new Map<string, SeenQueue>()
  const exchanges = new Map<string, Presence>()
  const compared = new Map(declared.map((queue) => [queue.name, queue]))
  try {
    for (const name of named(steps.flatMap(({ from, to }) => [from, to])))
      queues.set(name, await lookAtQueue(name, compared.get(name), asker))
    for (const name of named(steps.map(({ exchange }) => exchange)))
      exchanges.set(name, presenceBy(await asker.ask((channel) => inspectExchange(channel, name))))
    return { queues, exchanges }
  } finally {
    await asker.close()
  }
}

function named(names: readonly (string | undefined)[]): ReadonlySet<string> {
  return new Set(names.filter((name) => name !== undefined && name !== '') as string[])
}

async function lookAtQueue(
  name: string,
  declared: DeclaredQueue | undefined,
  asker: Asker,
): Promise<SeenQueue> {
  const compared = declared && readComparison(await asker.ask((channel) => compare(channel, declared)))
  if (compared) return compared
  return {
    presence: presenceBy(await asker.ask((channel) => inspectQueue(channel, name))),
    arguments: 'unknown',
  }
}

/**
 * Declares the queue as it should be, and with an argument for streams on top. RabbitMQ compares arguments that the
 * type of a queue knows, and refuses others when it makes one: so this compares and cannot make anything.
 */
async function compare(
  channel: AmqpChannel,
  { name, type, arguments: args, ...flags }: DeclaredQueue,
): Promise<void> {
  const asked = { ...args, 'x-queue-type': type, 'x-max-age': '1D' } as PlainTable
  const { durable, autoDelete } = flags
  await declareQueue(channel, { queue: name, durable, autoDelete, arguments: toFieldTable(asked) })
}

/** Undefined: it says nothing, for example because the account may not declare. */
function readComparison(refusal: ChannelError | undefined): SeenQueue | undefined {
  if (!refusal) return { presence: 'there', arguments: 'as-declared' }
  if (refusal.replyCode === preconditionFailed) return readDifference(refusal.replyText ?? '')
  return refusal.replyCode === notFound ? { presence: 'missing', arguments: 'unknown' } : undefined
}

function readDifference(replyText: string): SeenQueue | undefined {
  if (/invalid arg 'x-max-age'/.test(replyText)) return { presence: 'missing', arguments: 'unknown' }
  const [, argument = ''] = /inequivalent arg '([^']+)'/.exec(replyText) ?? []
  const isGone = wayArguments.includes(argument) && /but current is none\b/.test(replyText)
  const seen: SeenArguments = isGone ? { lacks: argument } : 'unknown'
  return argument === '' ? undefined : { presence: 'there', arguments: seen }
}

function presenceBy(refusal: ChannelError | undefined): Presence {
  if (!refusal) return 'there'
  return refusal.replyCode === notFound ? 'missing' : 'unknown'
}

const notFound = 404
const preconditionFailed = 406

interface Asker {
  /** Gives the broker's refusal, or undefined. Everything else that goes wrong is thrown. */
  ask(question: (channel: AmqpChannel) => Promise<unknown>): Promise<ChannelError | undefined>
  close(): Promise<void>
}

function createAsker(openChannel: () => Promise<AmqpChannel>): Asker {
  let channel: AmqpChannel | undefined
  return {
    ask: async (question) => {
      channel = channel?.isOpen ? channel : await openChannel()
      try {
        await question(channel)
        return undefined
      } catch (error) {
        if (error instanceof ChannelError && error.replyCode !== undefined) return error
        throw error
      }
    },
    close: async () => {
      if (channel?.isOpen) await channel.close()
    },
  }
}
