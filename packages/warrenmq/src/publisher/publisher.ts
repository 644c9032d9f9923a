import type { Session } from '../broker/amqp/session.ts'
import { InvalidArgumentError } from '../errors.ts'
import { type Duration, parseDuration } from '../message/duration.ts'
import { refuseUnknown } from '../message/refuse-unknown.ts'
import type { BodyToPublish, MessageDeclarations, NoMessages } from '../topology/message-declaration.ts'
import { dateNow } from '../world.ts'
import { addressMessages, type NamedPublishOptions } from './address-messages.ts'
import { createMessageIds } from './message-ids.ts'
import { checkAddress, type EncodedMessage, encodeMessage, type OutgoingMessage } from './outgoing-message.ts'
import { PublishChannel } from './publish-channel.ts'
import { type PublishLimits, type PublishOptions, readPublishOptions } from './publish-options.ts'
import type { PublishResult } from './publish-result.ts'
import type { PublisherOptions } from './settle-publisher-options.ts'

export type { PublisherOptions }

/**
 * Publishes with confirms, on its own channel; every publish settles exactly once. `Messages` are the messages of the
 * topology, which it publishes by name.
 */
export class Publisher<Messages extends MessageDeclarations = NoMessages> {
  readonly #channel: PublishChannel
  readonly #messages: MessageDeclarations
  readonly #nextId = createMessageIds()

  /** @internal */
  constructor(session: Session, options: PublisherOptions = {}, messages?: Messages) {
    this.#channel = new PublishChannel(session, options)
    this.#messages = messages ?? {}
  }

  /**
   * Publishes a message, and resolves with what the broker did with it. Never rejects because of the broker, and never hangs.
   * @example
   * ```ts
   * const result = await publisher.publish({ exchange: 'orders.events', key: 'order.placed', body: { id: 42 } })
   * ```
   */
  publish(message: OutgoingMessage, options?: PublishOptions): Promise<PublishResult>
  /**
   * The same for a message of the topology, by its name: its address is known, and its body is checked.
   * @example
   * ```ts
   * const result = await shop.publish('OrderPlaced', { id: 42 }, { messageId: 'order-42', deadline: '5s' })
   * ```
   */
  publish<Name extends keyof Messages & string>(
    name: Name,
    body: BodyToPublish<Messages[Name]>,
    options?: NamedPublishOptions,
  ): Promise<PublishResult>
  publish(
    first: OutgoingMessage | string,
    second?: unknown,
    options?: NamedPublishOptions,
  ): Promise<PublishResult> {
    if (typeof first === 'string') return this.#publishNamed(first, second, options)
    if (second === undefined) return this.send(first)
    return this.#sendWithin(first, second as PublishOptions)
  }

  /**
   * Publishes all messages, and gives a result for each, in the same order. If one cannot be sent, none is.
   * @example
   * ```ts
   * const results = await publisher.publishMany([1, 2, 3].map((id) => ({ key: 'orders', body: { id } })))
   * console.log(results.filter(({ kind }) => kind !== 'confirmed').length, 'are to be published again')
   * ```
   */
  publishMany(
    messages: readonly OutgoingMessage[],
    options?: PublishOptions,
  ): Promise<readonly PublishResult[]>
  /**
   * The same for messages of the topology that have the same name.
   * @example
   * ```ts
   * const results = await shop.publisher().publishMany('OrderPlaced', [{ id: 42 }, { id: 43 }])
   * ```
   */
  publishMany<Name extends keyof Messages & string>(
    name: Name,
    bodies: readonly BodyToPublish<Messages[Name]>[],
    options?: Omit<NamedPublishOptions, 'messageId'>,
  ): Promise<readonly PublishResult[]>
  async publishMany(
    first: readonly OutgoingMessage[] | string,
    second?: unknown,
    options?: NamedPublishOptions,
  ): Promise<readonly PublishResult[]> {
    const { addressed, limits } =
      typeof first === 'string'
        ? await addressMessages(this.#messages, { name: first, bodies: second as unknown[], options })
        : { addressed: first, limits: second as PublishOptions | undefined }
    const read = readPublishOptions(limits)
    const sends = prepareAll(addressed, (message) => this.prepare(message, read))
    const results: Promise<PublishResult>[] = []
    for (const send of sends) {
      await this.#channel.lineRoom()
      results.push(send())
    }
    return Promise.all(results)
  }

  /** One message of its own address. @internal */
  send(message: OutgoingMessage, limits?: PublishLimits): Promise<PublishResult> {
    // What cannot be encoded rejects the promise, like anything that is thrown in here.
    return new Promise((settle) => {
      const nowMs = dateNow()
      this.publishEncoded(this.#encode(message, nowMs), settle, nowMs, limits)
    })
  }

  /** Refuses what cannot be sent, and gives what sends it. @internal */
  prepare(message: OutgoingMessage, limits: PublishLimits | undefined): () => Promise<PublishResult> {
    const encoded = this.#encode(message, dateNow())
    return () => new Promise((settle) => this.publishEncoded(encoded, settle, dateNow(), limits))
  }

  /**
   * The same for a message that is already on its wire form, e.g. one that is passed on.
   * @internal
   */
  publishEncoded(
    message: EncodedMessage,
    settle: (result: PublishResult) => void,
    nowMs: number = dateNow(),
    limits?: PublishLimits,
  ): void {
    this.#channel.publish(message, settle, nowMs, limits)
  }

  /**
   * Resolves when a publish would be sent immediately, or never: await it to slow down a fast producer.
   * @example
   * ```ts
   * for (const id of [1, 2, 3]) {
   *   await publisher.room()
   *   void publisher.publish({ key: 'orders', body: { id } })
   * }
   * ```
   */
  room(): Promise<void> {
    return this.#channel.room()
  }

  /** It is closing or closed, and takes no more messages. */
  get isClosed(): boolean {
    return this.#channel.isClosed
  }

  /** Publishes that have no result yet. */
  get pendingCount(): number {
    return this.#channel.pendingCount
  }

  /**
   * Resolves when every publish so far has its result.
   * @example
   * ```ts
   * await publisher.idle()
   * ```
   */
  idle(): Promise<void> {
    return this.#channel.idle()
  }

  /**
   * Continues on another channel once every publish has its result. On 3.10, a channel that met a quorum queue without a
   * leader refuses every later publish to it; a publisher notices that by itself, but only after a while.
   * @example
   * ```ts
   * await publisher.renew()
   * ```
   */
  async renew(): Promise<void> {
    await this.#channel.renew()
  }

  /**
   * Takes no more messages, waits for the missing answers, and closes its channel. At the deadline, messages that were not
   * sent are given up, and publishes without an answer are `unknown`. @default the deadline of each publish
   * @example
   * ```ts
   * await publisher.close({ deadline: '5s' })
   * ```
   */
  async close(options: { readonly deadline?: Duration } = {}): Promise<void> {
    refuseUnknown('close()', options, { deadline: true })
    const { deadline } = options
    await this.#channel.close(deadline === undefined ? undefined : dateNow() + parseDuration(deadline))
  }

  /** `await using publisher = warren.publisher({ … })` closes it at the end of the block. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  async #publishNamed(name: string, body: unknown, options?: NamedPublishOptions): Promise<PublishResult> {
    const { addressed, limits } = await addressMessages(this.#messages, { name, bodies: [body], options })
    return this.send(addressed[0]!, readPublishOptions(limits))
  }

  // Async, so that options that cannot be meant reject the promise, like a message that cannot be sent.
  async #sendWithin(message: OutgoingMessage, options: PublishOptions): Promise<PublishResult> {
    return this.send(message, readPublishOptions(options))
  }

  #encode(message: OutgoingMessage, nowMs: number): EncodedMessage {
    checkAddress(message)
    return encodeMessage(message, { messageId: message.messageId ?? this.#nextId(), nowMs })
  }
}

/** All or none: whoever publishes many at once does not want half of them to be sent because of one. */
function prepareAll<Message, Prepared>(
  messages: readonly Message[],
  prepare: (message: Message) => Prepared,
): readonly Prepared[] {
  return messages.map((message, index) => {
    try {
      return prepare(message)
    } catch (cause) {
      const which = `Message ${index + 1} of ${messages.length}`
      throw new InvalidArgumentError(`${which}: ${(cause as Error).message} Nothing was sent.`, { cause })
    }
  })
}
