import { decodeShownTable } from '../../wire/decode-table.ts'
import type { Method } from '../../wire/method-specs.ts'
import { encodeMethod, methodIdOf } from '../../wire/methods.ts'
import { decodeProperties, type RawProperties } from '../../wire/properties.ts'
import type { Actor } from '../model/access/actor.ts'
import { type Channel, type ChannelPeer, openChannel } from '../model/channel/channel.ts'
import { closeChannel } from '../model/channel/close-channel.ts'
import { publish } from '../model/channel/publish.ts'
import type { Message } from '../model/message/message.ts'
import { ProtocolError } from '../model/protocol-error.ts'
import { type AnswerSink, answerMethod } from './answer-method.ts'
import { createChannelConfirms } from './channel-confirms.ts'
import { encodeDeliver } from './encode-deliver.ts'
import type { FaultPlan } from './faults.ts'

/** What a channel needs of the connection it runs on. */
export interface ChannelHost {
  actor(): Actor
  readonly faults: FaultPlan
  supportsCancelNotify(): boolean
  isWritable(): boolean
  readonly sink: (channel: number) => AnswerSink
  sendConfirm(channel: number, deliveryTag: number, multiple: boolean): void
  /** Ends the connection as if the network had failed; what was written but not sent is lost. */
  cut(): void
  /** The same after what was written has been sent. */
  cutAfterFlush(): void
  /** Called before anything of the message is read. */
  startsPublish(): void
  /** Called before anything is delivered. */
  delivers(): void
}

/** One channel as the wire sees it. */
export interface ServerChannel {
  readonly model: Channel
  isClosing(): boolean
  /** The publish whose content comes in, so that a refusal can name it. */
  currentPublish(): Method | undefined
  method(method: Method): void
  header(payload: Buffer): void
  body(piece: Buffer): void
  /** Sends the confirms that are due. */
  flush(): void
  end(): void
  /** Closes it from the broker's side. */
  refuse(error: ProtocolError, cause: Method | undefined): void
}

interface PendingPublish {
  readonly method: Method<'basic.publish'>
  properties: RawProperties | undefined
  remainingBytes: number
  readonly pieces: Buffer[]
}

export function createServerChannel(number: number, host: ChannelHost): ServerChannel {
  const sink = host.sink(number)
  const model = openChannel({
    actor: host.actor(),
    peer: createPeer(number, host, sink, (error) => refuse(error, undefined)),
    number,
    supportsCancelNotify: host.supportsCancelNotify(),
  })
  const confirms = createChannelConfirms(model, host)
  let pending: PendingPublish | undefined
  let currentPublish: Method | undefined
  let isClosing = false

  function method(received: Method): void {
    if (isClosing) return
    if (pending) throw misplaced(pending)
    if (received.name === 'basic.publish') {
      if (received.immediate) throw new ProtocolError('NOT_IMPLEMENTED', 'immediate=true')
      pending = { method: received, properties: undefined, remainingBytes: 0, pieces: [] }
      currentPublish = received
      host.startsPublish()
      return
    }
    if (isSettlement(received) && host.faults.isCutAt('before-ack')) {
      host.cut()
      return
    }
    answerMethod(model, received, sink)
    if (isSettlement(received) && host.faults.isCutAt('after-ack')) host.cut()
  }

  function header(payload: Buffer): void {
    if (isClosing) return
    if (!pending || pending.properties) throw misplaced(pending)
    const classId = payload.readUInt16BE(0)
    if (classId !== basicClass) throw ofAnotherClass(classId)
    const bodyBytes = payload.readUInt32BE(4) * 0x100000000 + payload.readUInt32BE(8)
    const properties = payload.subarray(12)
    checkProperties(properties)
    pending.properties = properties
    pending.remainingBytes = bodyBytes
    const { maxMessageBytes } = model.broker.profile
    if (bodyBytes > maxMessageBytes) throw tooLarge(bodyBytes, maxMessageBytes)
    if (bodyBytes === 0) finishPublish()
  }

  function body(piece: Buffer): void {
    if (isClosing) return
    if (!pending?.properties) throw misplaced(pending)
    pending.pieces.push(piece)
    pending.remainingBytes -= piece.length
    if (pending.remainingBytes < 0) {
      throw new ProtocolError('FRAME_ERROR', 'more content body than announced')
    }
    if (pending.remainingBytes === 0) finishPublish()
  }

  function finishPublish(): void {
    const { method: publishMethod, properties, pieces } = pending!
    pending = undefined
    if (host.faults.isCutAt('before-publish')) {
      host.cut()
      return
    }
    publish(model, {
      exchange: publishMethod.exchange,
      routingKey: publishMethod.routingKey,
      mandatory: publishMethod.mandatory,
      properties: properties!,
      body: pieces.length === 1 ? pieces[0]! : pieces,
      isReturned: host.faults.isReturned(),
    })
    currentPublish = undefined
    if (host.faults.isCutAt('after-publish-routed')) host.cut()
  }

  function refuse(error: ProtocolError, cause: Method | undefined): void {
    if (isClosing) return
    isClosing = true
    pending = undefined
    end()
    const id = cause ? methodIdOf(cause.name) : 0
    sink.send({
      name: 'channel.close',
      replyCode: error.replyCode,
      replyText: error.replyText,
      classId: id >>> 16,
      methodId: id & 0xffff,
    })
  }

  function end(): void {
    confirms.end()
    closeChannel(model)
  }

  return {
    model,
    isClosing() {
      return isClosing
    },
    currentPublish() {
      return currentPublish
    },
    method,
    header,
    body,
    flush: confirms.flush,
    end,
    refuse,
  }
}

function createPeer(
  number: number,
  host: ChannelHost,
  sink: AnswerSink,
  onClosed: (error: ProtocolError) => void,
): ChannelPeer {
  function sendMessage(
    consumerTag: string,
    deliveryTag: number,
    {
      message,
      isRedelivered,
      properties,
    }: { message: Message; isRedelivered: boolean; properties: RawProperties },
  ): void {
    host.delivers()
    const { exchange, routingKeys } = message
    const payload = encodeDeliver({
      consumerTag,
      deliveryTag,
      isRedelivered,
      exchange,
      routingKey: routingKeys[0]!,
    })
    sink.sendContent(payload, properties, message.body)
  }

  return {
    deliver: (consumerTag, deliveryTag, { entry, isRedelivered, properties }) =>
      sendMessage(consumerTag, deliveryTag, { message: entry.message, isRedelivered, properties }),
    deliverReply: (consumerTag, deliveryTag, message) =>
      sendMessage(consumerTag, deliveryTag, {
        message,
        isRedelivered: false,
        properties: message.properties,
      }),
    confirm: (deliveryTag, multiple) => host.sendConfirm(number, deliveryTag, multiple),
    refuse: (deliveryTag, multiple) =>
      sink.send({ name: 'basic.nack', deliveryTag, multiple, requeue: false }),
    returned: (message, properties) => {
      const payload = encodeMethod({
        name: 'basic.return',
        replyCode: 312,
        replyText: 'NO_ROUTE',
        exchange: message.exchange,
        routingKey: message.routingKeys[0]!,
      })
      sink.sendContent(payload, properties, message.body)
    },
    consumerCancelled: (consumerTag) => sink.send({ name: 'basic.cancel', consumerTag, noWait: true }),
    closed: onClosed,
    isWritable() {
      return host.isWritable()
    },
  }
}

const basicClass = 60

/** A frame of another kind than the one that must follow: what belongs to a publish, or a method. */
export function misplaced(pending: Pick<PendingPublish, 'properties'> | undefined): ProtocolError {
  const words = !pending
    ? 'expected method frame, got non method frame instead'
    : pending.properties
      ? 'expected content body, got non content body frame instead'
      : `expected content header for class ${basicClass}, got non content header frame instead`
  return new ProtocolError('UNEXPECTED_FRAME', words)
}

function ofAnotherClass(classId: number): ProtocolError {
  const words = `expected content header for class ${basicClass}, got one for class ${classId} instead`
  return new ProtocolError('UNEXPECTED_FRAME', words)
}

/** Whoever reads them later is not to blame for what is wrong with them. */
function checkProperties(properties: RawProperties): void {
  const { headers } = decodeProperties(properties)
  if (headers) decodeShownTable(headers)
}

function isSettlement({ name }: Method): boolean {
  return name === 'basic.ack' || name === 'basic.nack' || name === 'basic.reject'
}

function tooLarge(actualBytes: number, maxBytes: number): ProtocolError {
  return new ProtocolError(
    'PRECONDITION_FAILED',
    `message size ${actualBytes} is larger than configured max size ${maxBytes}`,
  )
}
