import type { AmqpChannel } from '../broker/amqp/channel.ts'
import {
  bindExchange,
  bindQueue,
  declareExchange,
  declareQueue,
  unbindExchange,
  unbindQueue,
} from '../broker/amqp/declarations.ts'
import type { CompiledExchange, CompiledQueue } from '../topology/compiled-topology.ts'
import type { LiveBinding } from '../topology/live-topology.ts'
import type { DisruptiveStep, Leftover, SafeStep } from '../topology/plan-topology.ts'
import { toFieldTable } from '../wire/plain-fields.ts'

/** A step that `apply` can carry out. */
export type ExecutableStep = SafeStep | DisruptiveStep | Leftover

/** done: the broker is as the step says. kept: a queue that is left over was not deleted. */
export type StepOutcome =
  | { readonly kind: 'done' }
  | {
      readonly kind: 'kept'
      /** Why it was kept. */
      readonly reason: string
    }

/** Carries one step out over AMQP. Each can be repeated: what is as it should be stays so. */
export async function executeStep(
  channel: AmqpChannel,
  step: SafeStep | DisruptiveStep,
): Promise<StepOutcome> {
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
