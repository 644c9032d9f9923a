import { ChannelError, type ConnectionError } from '../../errors.ts'
import { createEvents, type Events } from '../../events.ts'
import { createDeliverReader } from '../../wire/deliver-reader.ts'
import type { Body } from '../../wire/frame-writer.ts'
import type { Method, MethodName } from '../../wire/method-specs.ts'
import { decodeMethod, methodIdOf } from '../../wire/methods.ts'
import { decodeProperties, type RawProperties } from '../../wire/properties.ts'
import { readConfirm } from '../../wire/read-confirm.ts'
import type { Settled } from './ack-ledger.ts'
import { type AckWriter, createAckWriter } from './ack-writer.ts'
import { type ChannelConsumers, type ConsumeOptions, createChannelConsumers } from './channel-consumers.ts'
import type { ChannelEvents } from './channel-events.ts'
import { type ContentReader, createContentReader, type OnContent } from './content-reader.ts'
import { Delivery } from './delivery.ts'
import type { Output } from './output.ts'
import { type Answer, createPendingReplies, type PendingReplies } from './pending-replies.ts'
import { unaskedError } from './unexpected-error.ts'

/** What a channel needs of its connection. */
export interface ChannelHost {
  output(): Output
  maxBodyBytes(): number
  replyTimeoutMs(): number
  /** The channel is closed on both sides: its number is free again. */
  released(channel: AmqpChannel): void
}

const deliverId = methodIdOf('basic.deliver')
const ackId = methodIdOf('basic.ack')
const nackId = methodIdOf('basic.nack')

/** One AMQP channel, from open to closed; never reopened. To have another, open another. */
export class AmqpChannel {
  /** Its number on the connection. */
  readonly id: number
  /** Confirms, returns, cancelled consumers and the end of the channel. */
  readonly events: Events<ChannelEvents>
  readonly #emit: ReturnType<typeof createEvents<ChannelEvents>>
  readonly #host: ChannelHost
  readonly #acks: AckWriter
  readonly #content: ContentReader
  readonly #readDeliver = createDeliverReader()
  readonly #consumers: ChannelConsumers
  readonly #replies: PendingReplies
  #state: 'open' | 'closing' | 'closed' = 'open'
  #closedBy: ChannelError | ConnectionError | undefined
  #whenClosed: Promise<void> | undefined

  /** @internal */
  constructor(id: number, host: ChannelHost) {
    this.id = id
    this.#host = host
    this.#emit = createEvents<ChannelEvents>()
    this.events = this.#emit
    this.#acks = createAckWriter(id, () => host.output())
    this.#consumers = createChannelConsumers(this)
    const { oversized } = this.#consumers
    this.#content = createContentReader({ maxBodyBytes: host.maxBodyBytes(), oversized })
    this.#replies = createPendingReplies({ timeoutMs: host.replyTimeoutMs() })
  }

  /** False once it was closed or lost; it never opens again. */
  get isOpen(): boolean {
    return this.#state === 'open'
  }

  /** Why the channel is closed: undefined while it is open and when its owner closed it. */
  get closeReason(): ChannelError | ConnectionError | undefined {
    return this.#closedBy
  }

  /** Deliveries handed out and not yet settled. */
  get openDeliveries(): number {
    return this.#acks.openCount()
  }

  /** Deliveries that are acknowledged and of which the broker is not told yet. */
  get owedAcks(): number {
    return this.#acks.owedCount()
  }

  /** By which all that the connection has to say is handed to the kernel, acks of other channels included. @internal */
  get output(): Pick<Output, 'sendAll' | 'whenSent'> {
    return this.#host.output()
  }

  /** Consumers that were started on it and are not cancelled. */
  get consumerCount(): number {
    return this.#consumers.size()
  }

  /** May the broker send on for a while before it needs our acks? */
  get hasCreditLeft(): boolean {
    return this.#acks.hasCreditLeft()
  }

  /** Sends a method and waits for its answer. Answers come in the order of the questions. @internal */
  async call<Reply extends MethodName>(method: Method, ...expects: Reply[]): Promise<Method<Reply>> {
    const answer = await this.#ask(method, expects)
    return answer.method as Method<Reply>
  }

  /** Publishes; with confirms on, the answer comes as a `confirmed` event. Throws if the channel is closed. @internal */
  publish(methodPayload: Buffer, properties: RawProperties, body: Body): void {
    if (this.#state !== 'open') throw this.#closedError()
    this.#host.output().frames.content(this.id, methodPayload, properties, body)
    this.#host.output().written()
  }

  /**
   * Delivers messages of a queue from now on; resolves with the tag of the consumer.
   * @example
   * ```ts
   * const tag = await channel.consume('orders.dlq', (delivery) => delivery.nack({ requeue: true }))
   * ```
   */
  async consume(
    queue: string,
    onDelivery: (delivery: Delivery) => void,
    options: ConsumeOptions = {},
  ): Promise<string> {
    const consumerTag = this.#consumers.add(onDelivery, options)
    const method: Method<'basic.consume'> = {
      name: 'basic.consume',
      queue,
      consumerTag,
      noLocal: false,
      noAck: options.noAck ?? false,
      exclusive: options.exclusive ?? false,
      noWait: false,
      arguments: options.arguments ?? [],
    }
    await this.call(method, 'basic.consume-ok')
    return consumerTag
  }

  /**
   * After this resolves nothing more arrives for the consumer; what it holds unsettled stays so.
   * @example
   * ```ts
   * const tag = await channel.consume('orders.dlq', (delivery) => delivery.nack({ requeue: true }))
   * await channel.cancel(tag)
   * ```
   */
  async cancel(consumerTag: string): Promise<void> {
    await this.call({ name: 'basic.cancel', consumerTag, noWait: false }, 'basic.cancel-ok')
    this.#consumers.delete(consumerTag)
  }

  /**
   * Takes one message, if there is one.
   * @example
   * ```ts
   * const delivery = await channel.get('orders.dlq')
   * delivery?.nack({ requeue: true })
   * ```
   */
  async get(
    queue: string,
    { noAck = false }: { noAck?: boolean } = {},
  ): Promise<(Delivery & { messageCount: number }) | undefined> {
    const { method, content } = await this.#ask({ name: 'basic.get', queue, noAck }, [
      'basic.get-ok',
      'basic.get-empty',
    ])
    if (method.name !== 'basic.get-ok' || !content) return undefined
    const delivery = new Delivery(
      this,
      { ...method, consumerTag: '', isRedelivered: method.redelivered },
      content,
    )
    return Object.assign(delivery, { messageCount: method.messageCount })
  }

  /**
   * How many unsettled deliveries each consumer of the channel that starts from now on may hold; 0 is no limit.
   * @example
   * ```ts
   * await channel.setPrefetch(100)
   * ```
   */
  async setPrefetch(prefetchCount: number): Promise<void> {
    this.#acks.setPrefetch(prefetchCount)
    await this.call({ name: 'basic.qos', prefetchSize: 0, prefetchCount, global: false }, 'basic.qos-ok')
  }

  /**
   * Acks are gathered and sent in batches, `multiple` where they are contiguous.
   * @example
   * ```ts
   * channel.ack(delivery.deliveryTag)
   * ```
   */
  ack(deliveryTag: number): Settled {
    return this.#state === 'open' && this.#acks.ack(deliveryTag) ? 'sent' : 'stale'
  }

  /**
   * Gives one delivery back (`requeue`), or lets its queue dead-letter or drop it.
   * @example
   * ```ts
   * channel.nack(delivery.deliveryTag, { requeue: true })
   * ```
   */
  nack(deliveryTag: number, { requeue }: { requeue: boolean }): Settled {
    return this.#giveUp(deliveryTag, { name: 'basic.nack', deliveryTag, multiple: false, requeue })
  }

  /**
   * The same by another method, which counts towards the delivery limit on every version.
   * @example
   * ```ts
   * channel.reject(delivery.deliveryTag, { requeue: false })
   * ```
   */
  reject(deliveryTag: number, { requeue }: { requeue: boolean }): Settled {
    return this.#giveUp(deliveryTag, { name: 'basic.reject', deliveryTag, requeue })
  }

  /**
   * Writes the acks that wait for company, e.g. because the connection is about to close.
   * @example
   * ```ts
   * channel.flushAcks()
   * ```
   */
  flushAcks(): void {
    this.#acks.flush()
  }

  /**
   * Closes the channel; what was delivered and not settled goes back to its queue, in order. Safe to call twice.
   * @example
   * ```ts
   * await channel.close()
   * ```
   */
  close(): Promise<void> {
    if (this.#state === 'open') this.#whenClosed = this.#sayGoodbye()
    return this.#whenClosed ?? Promise.resolve()
  }

  async #sayGoodbye(): Promise<void> {
    const closed = this.call(
      { name: 'channel.close', replyCode: 200, replyText: 'closed by its owner', classId: 0, methodId: 0 },
      'channel.close-ok',
    )
    this.#state = 'closing'
    await closed.catch(() => undefined) // a lost connection closes the channel just as well
    this.connectionClosed(undefined)
  }

  /** A method frame for this channel. @internal */
  receiveMethod(payload: Buffer): void {
    const id = payload.length >= 4 ? payload.readUInt32BE(0) : 0
    if (id === deliverId) this.#receiveDelivery(payload)
    else if (id === ackId || id === nackId) this.#receiveConfirm(payload, id === ackId)
    else this.#receive(decodeMethod(payload))
  }

  /** @internal */
  receiveHeader(payload: Buffer): void {
    if (this.#state === 'open') this.#content.header(payload)
  }

  /** @internal */
  receiveBody(piece: Buffer): void {
    if (this.#state === 'open') this.#content.body(piece)
  }

  /** The connection is gone or this channel is closed: everything that waits is told. @internal */
  connectionClosed(error: ChannelError | ConnectionError | undefined): void {
    if (this.#state === 'closed') return
    this.#state = 'closed'
    this.#closedBy = error
    this.#acks.stop()
    this.#replies.failAll(this.#closedError())
    this.#consumers.clear()
    this.#host.released(this)
    this.#emit.emit('closed', { error })
  }

  #giveUp(deliveryTag: number, method: Method<'basic.nack' | 'basic.reject'>): Settled {
    if (this.#state !== 'open' || !this.#acks.settle(deliveryTag)) return 'stale'
    this.#send(method)
    return 'sent'
  }

  #send(method: Method): void {
    this.#acks.flush() // what was acked before is told before
    this.#host.output().frames.method(this.id, method)
    this.#host.output().written()
  }

  #receiveDelivery(payload: Buffer): void {
    if (this.#state !== 'open') return
    const method = this.#readDeliver(payload)
    this.#acks.opened(method.deliveryTag, this.#consumers.needsAck(method.consumerTag))
    this.#content.expect(method, this.#consumers.handOver)
  }

  readonly #giveBack: OnContent<Method<'basic.return'>> = (method, content) => {
    // Who published compares them, and must not find them broken: its message would count as taken.
    decodeProperties(content.properties)
    this.#emit.emit('returned', { ...method, ...content })
  }

  readonly #answerGet: OnContent<Method<'basic.get-ok'>> = (method, content) => {
    const isTaken = this.#replies.answer({ method, content })
    if (!isTaken) this.nack(method.deliveryTag, { requeue: true }) // else it is held until the channel closes
  }

  #receiveConfirm(payload: Buffer, isAck: boolean): void {
    if (this.#state !== 'open') return
    const { tag, multiple } = readConfirm(payload)
    this.#emit.emit('confirmed', { tag, multiple, isAck })
  }

  #receive(method: Method): void {
    if (this.#state === 'closing') {
      this.#receiveWhileClosing(method)
      return
    }
    switch (method.name) {
      case 'channel.close':
        this.#closedByBroker(method)
        return
      case 'basic.return':
        this.#content.expect(method, this.#giveBack)
        return
      case 'basic.get-ok':
        this.#refuseUnasked(method.name)
        this.#acks.opened(method.deliveryTag, !this.#isAskedWithoutAck())
        this.#content.expect(method, this.#answerGet)
        return
      case 'basic.cancel':
        this.#consumers.delete(method.consumerTag)
        this.#emit.emit('cancelled', { consumerTag: method.consumerTag })
        return
      case 'channel.flow':
        this.#send({ name: 'channel.flow-ok', active: method.active })
        return
      default:
        this.#refuseUnasked(method.name)
        this.#replies.answer({ method })
    }
  }

  /** Were it taken for the answer to another question, every later answer would be one off. */
  #refuseUnasked(name: MethodName): void {
    if (!this.#replies.askedFor(name)) throw unaskedError(name)
  }

  /** What was asked before the goodbye is still answered, but no message is taken any more. */
  #receiveWhileClosing(method: Method): void {
    switch (method.name) {
      case 'channel.close': // both sides closed at once; the answer to ours is still to come
        this.#send({ name: 'channel.close-ok' })
        return
      case 'channel.close-ok':
        this.connectionClosed(undefined)
        return
      case 'basic.get-ok':
        this.#replies.fail(method.name, this.#closedError())
        return
      case 'basic.return':
      case 'basic.cancel':
      case 'channel.flow':
        return
      default:
        this.#replies.answer({ method })
    }
  }

  async #ask(method: Method, expects: readonly MethodName[]): Promise<Answer> {
    if (this.#state !== 'open') throw this.#closedError()
    this.#send(method)
    return this.#replies.wait(method, expects)
  }

  #isAskedWithoutAck(): boolean {
    const asked = this.#replies.askedFor('basic.get-ok')
    return asked?.name === 'basic.get' && asked.noAck
  }

  #closedByBroker({ replyCode, replyText }: Method<'channel.close'>): void {
    this.#send({ name: 'channel.close-ok' })
    const message = `The broker closed the channel: ${replyText} (${replyCode}).`
    this.connectionClosed(
      new ChannelError({ code: 'CHANNEL_CLOSED_BY_BROKER', message, replyCode, replyText }),
    )
  }

  #closedError(): ChannelError | ConnectionError {
    return (
      this.#closedBy ??
      new ChannelError({ code: 'CHANNEL_CLOSED', message: 'The channel is closed. Open another one.' })
    )
  }
}
