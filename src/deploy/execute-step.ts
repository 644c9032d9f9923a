import type { AmqpChannel } from '../broker/amqp/channel.ts'
import {
  bindExchange,
  bindQueue,
  declareExchange,
  declareQueue,
  deleteQueue,
  inspectQueue,
  unbindExchange,
  unbindQueue,
} from '../broker/amqp/operations.ts'
import { ChannelError } from '../errors.ts'
import type { CompiledExchange, CompiledQueue } from '../topology/compiled-topology.ts'
import type { LiveBinding } from '../topology/live-topology.ts'
import type { DisruptiveStep, SafeStep } from '../topology/plan-topology.ts'
import { toFieldTable } from '../wire/plain-fields.ts'

export type ExecutableStep = SafeStep | DisruptiveStep

/** done: the broker is as the step says. kept: a queue was not deleted, because it is in use. */
export type StepOutcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'kept'; readonly messages: number | undefined; readonly consumers: number }

/** Carries one step out over AMQP. Each can be repeated: what is as it should be stays so. */
export async function executeStep(channel: AmqpChannel, step: ExecutableStep): Promise<StepOutcome> {
  switch (step.kind) {
    case 'create-exchange':
      await createExchange(channel, step.exchange)
      return done
    case 'create-queue':
      await createQueue(channel, step.queue)
      return done
    case 'add-binding':
      await addBinding(channel, step.binding)
      return done
    case 'remove-binding':
      await removeBinding(channel, step.binding)
      return done
    case 'delete-queue':
      return deleteIfIdle(channel, step)
  }
}

const done: StepOutcome = { kind: 'done' }

async function createExchange(channel: AmqpChannel, exchange: CompiledExchange): Promise<void> {
  const { name, arguments: args, ...settings } = exchange
  await declareExchange(channel, { ...settings, exchange: name, arguments: toFieldTable(args) })
}

async function createQueue(channel: AmqpChannel, queue: CompiledQueue): Promise<void> {
  const { name, type, durable, autoDelete, arguments: args } = queue
  const table = toFieldTable({ 'x-queue-type': type, ...args })
  await declareQueue(channel, { queue: name, durable, autoDelete, arguments: table })
}

async function addBinding(channel: AmqpChannel, binding: LiveBinding): Promise<void> {
  const { source, destination, destinationType, key: routingKey, arguments: args } = binding
  const table = toFieldTable(args)
  if (destinationType === 'exchange')
    await bindExchange(channel, { source, destination, routingKey, arguments: table })
  else await bindQueue(channel, { queue: destination, exchange: source, routingKey, arguments: table })
}

async function removeBinding(channel: AmqpChannel, binding: LiveBinding): Promise<void> {
  const { source, destination, destinationType, key: routingKey, arguments: args } = binding
  const table = toFieldTable(args)
  if (destinationType === 'exchange')
    await unbindExchange(channel, { source, destination, routingKey, arguments: table })
  else await unbindQueue(channel, { queue: destination, exchange: source, routingKey, arguments: table })
}

async function deleteIfIdle(
  channel: AmqpChannel,
  { queue, type, messages: reported }: DisruptiveStep & { kind: 'delete-queue' },
): Promise<StepOutcome> {
  const counts = await inspectQueue(channel, queue).catch(undefinedIfMissing)
  if (counts === undefined) return done
  const { messageCount, consumerCount: consumers } = counts
  // The passive declare counts ready messages only; unacknowledged ones and pending dead letters are in the
  // statistics, and where those say nothing yet, the queue stays.
  const messages = reported === undefined ? undefined : Math.max(messageCount, reported)
  if (messages !== 0 || consumers > 0) return { kind: 'kept', messages, consumers }
  // A quorum queue refuses these flags on every version, so there only the look just taken protects it.
  const ifIdle = type === 'classic'
  await deleteQueue(channel, queue, { ifEmpty: ifIdle, ifUnused: ifIdle })
  return done
}

// Another process may have deleted it since the plan was made.
function undefinedIfMissing(error: unknown): undefined {
  if (error instanceof ChannelError && error.replyCode === 404) return undefined
  throw error
}
