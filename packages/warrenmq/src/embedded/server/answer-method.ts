import type { Body } from '../../wire/frame-writer.ts'
import type { Method, MethodName } from '../../wire/method-specs.ts'
import { encodeMethod } from '../../wire/methods.ts'
import type { RawProperties } from '../../wire/properties.ts'
import { demandAny } from '../model/access/actor.ts'
import type { Channel } from '../model/channel/channel.ts'
import { cancel, consume, get, limitPrefetch } from '../model/channel/consume.ts'
import { recover, settle } from '../model/channel/settle.ts'
import { commit, rollback, selectConfirms, selectTransactions } from '../model/channel/transactions.ts'
import { bind, unbind } from '../model/exchange/bind.ts'
import {
  declareExchange,
  deleteExchange,
  passiveDeclareExchange,
} from '../model/exchange/declare-exchange.ts'
import { ProtocolError } from '../model/protocol-error.ts'
import { declareQueue, deleteQueue, findQueue, purgeQueue } from '../model/queue/declare-queue.ts'
import type { Queue } from '../model/queue/queue.ts'

/** Where the answers of a channel go. */
export interface AnswerSink {
  send(method: Method): void
  sendContent(methodPayload: Buffer, properties: RawProperties, body: Body): void
}

type Answer<Name extends MethodName> = (channel: Channel, method: Method<Name>, sink: AnswerSink) => void

/** Does what a method asks on an open channel, and answers it. */
export function answerMethod(channel: Channel, method: Method, sink: AnswerSink): void {
  const answer = answers[method.name] as Answer<MethodName> | undefined
  if (!answer) throw new ProtocolError('COMMAND_INVALID', 'unimplemented method')
  answer(channel, method, sink)
}

const answers: { readonly [Name in MethodName]?: Answer<Name> } = {
  'exchange.declare': ({ actor }, method, sink) => {
    if (method.passive) passiveDeclareExchange(actor, method.exchange)
    else declareExchange(actor, method)
    if (!method.noWait) sink.send({ name: 'exchange.declare-ok' })
  },
  'exchange.delete': ({ actor }, method, sink) => {
    deleteExchange(actor, method)
    if (!method.noWait) sink.send({ name: 'exchange.delete-ok' })
  },
  'exchange.bind': ({ actor }, method, sink) => {
    bind(actor, { ...method, destinationKind: 'exchange' })
    if (!method.noWait) sink.send({ name: 'exchange.bind-ok' })
  },
  'exchange.unbind': ({ actor }, method, sink) => {
    unbind(actor, { ...method, destinationKind: 'exchange' })
    if (!method.noWait) sink.send({ name: 'exchange.unbind-ok' })
  },
  'queue.declare': (channel, method, sink) => {
    if (method.queue.startsWith(`${replyAddress}.`)) answerReplyDeclare(channel, method, sink)
    else answerQueueDeclare(channel, method, sink)
  },
  'queue.delete': (channel, method, sink) => {
    const messageCount = deleteQueue(channel.actor, { ...method, queue: queueName(channel, method.queue) })
    if (!method.noWait) sink.send({ name: 'queue.delete-ok', messageCount })
  },
  'queue.purge': (channel, method, sink) => {
    const messageCount = purgeQueue(channel.actor, queueName(channel, method.queue))
    if (!method.noWait) sink.send({ name: 'queue.purge-ok', messageCount })
  },
  'queue.bind': (channel, method, sink) => {
    bind(channel.actor, bindRequest(channel, method))
    if (!method.noWait) sink.send({ name: 'queue.bind-ok' })
  },
  'queue.unbind': (channel, method, sink) => {
    unbind(channel.actor, bindRequest(channel, method))
    sink.send({ name: 'queue.unbind-ok' })
  },
  'basic.qos': (channel, method, sink) => {
    limitPrefetch(channel, method)
    sink.send({ name: 'basic.qos-ok' })
  },
  'basic.consume': (channel, method, sink) => {
    consume(channel, { ...method, queue: queueName(channel, method.queue) }, (consumerTag) => {
      if (!method.noWait) sink.send({ name: 'basic.consume-ok', consumerTag })
    })
  },
  'basic.cancel': (channel, method, sink) => {
    if (!method.noWait) sink.send({ name: 'basic.cancel-ok', consumerTag: method.consumerTag })
    cancel(channel, method.consumerTag)
  },
  'basic.get': (channel, method, sink) => {
    const found = get(channel, { ...method, queue: queueName(channel, method.queue) })
    if (!found) {
      sink.send({ name: 'basic.get-empty' })
      return
    }
    const { delivery, remaining } = found.fetched
    const { message } = delivery.entry
    const payload = encodeMethod({
      name: 'basic.get-ok',
      deliveryTag: found.deliveryTag,
      redelivered: delivery.isRedelivered,
      exchange: message.exchange,
      routingKey: message.routingKeys[0]!,
      messageCount: remaining,
    })
    sink.sendContent(payload, delivery.properties, message.body)
  },
  'basic.ack': (channel, { deliveryTag, multiple }) =>
    settle(channel, { deliveryTag, multiple, settlement: 'ack' }),
  'basic.nack': (channel, { deliveryTag, multiple, requeue }) =>
    settle(channel, { deliveryTag, multiple, settlement: requeue ? 'return' : 'discard' }),
  'basic.reject': (channel, { deliveryTag, requeue }) =>
    settle(channel, {
      deliveryTag,
      multiple: false,
      settlement: requeue ? 'reject-return' : 'reject-discard',
    }),
  'basic.recover': (channel, { requeue }, sink) => {
    refuseLossyRecover(requeue)
    sink.send({ name: 'basic.recover-ok' }) // RabbitMQ's queues redeliver after the answer is out
    recover(channel)
  },
  'basic.recover-async': (channel, { requeue }) => {
    refuseLossyRecover(requeue)
    recover(channel)
  },
  'confirm.select': (channel, { noWait }, sink) => {
    selectConfirms(channel)
    if (!noWait) sink.send({ name: 'confirm.select-ok' })
  },
  'tx.select': (channel, _, sink) => {
    selectTransactions(channel)
    sink.send({ name: 'tx.select-ok' })
  },
  'tx.commit': (channel, _, sink) => {
    commit(channel, () => sink.send({ name: 'tx.commit-ok' }))
  },
  'tx.rollback': (channel, _, sink) => {
    rollback(channel)
    sink.send({ name: 'tx.rollback-ok' })
  },
  'channel.flow': (_, { active }, sink) => {
    if (!active) throw new ProtocolError('NOT_IMPLEMENTED', 'active=false')
    sink.send({ name: 'channel.flow-ok', active: true })
  },
}

const replyAddress = 'amq.rabbitmq.reply-to'

function answerQueueDeclare(channel: Channel, method: Method<'queue.declare'>, sink: AnswerSink): void {
  const queue = method.passive ? findDeclared(channel, method.queue) : declareQueue(channel.actor, method)
  channel.lastDeclaredQueue = queue.name
  if (method.noWait) return
  const { ready, declaredConsumers } = queue.counts()
  sink.send({
    name: 'queue.declare-ok',
    queue: queue.name,
    messageCount: ready,
    consumerCount: declaredConsumers,
  })
}

function findDeclared(channel: Channel, name: string): Queue {
  demandAny(channel.actor, { kind: 'queue', name })
  const queue = findQueue(channel.actor, name)
  queue.touch()
  return queue
}

/** The address of a direct reply can be asked for like a queue: it exists while its channel listens. */
function answerReplyDeclare(channel: Channel, method: Method<'queue.declare'>, sink: AnswerSink): void {
  const suffix = method.queue.slice(replyAddress.length + 1)
  if (!channel.broker.replyChannels.has(suffix)) {
    throw new ProtocolError('NOT_FOUND', `no queue '${method.queue}' in vhost '${channel.actor.vhost.name}'`)
  }
  if (!method.noWait) {
    sink.send({ name: 'queue.declare-ok', queue: method.queue, messageCount: 0, consumerCount: 1 })
  }
}

function bindRequest(
  channel: Channel,
  method: Method<'queue.bind'> | Method<'queue.unbind'>,
): Parameters<typeof bind>[1] {
  const destination = queueName(channel, method.queue)
  return {
    source: method.exchange,
    destinationKind: 'queue',
    destination,
    routingKey: method.queue === '' && method.routingKey === '' ? destination : method.routingKey,
    arguments: method.arguments,
  }
}

/** No name means the queue that was declared last on this channel. */
function queueName(channel: Channel, name: string): string {
  if (name !== '') return name
  if (channel.lastDeclaredQueue !== '') return channel.lastDeclaredQueue
  throw new ProtocolError('NOT_FOUND', 'no previously declared queue')
}

function refuseLossyRecover(requeue: boolean): void {
  if (!requeue) throw new ProtocolError('NOT_IMPLEMENTED', 'requeue=false')
}
