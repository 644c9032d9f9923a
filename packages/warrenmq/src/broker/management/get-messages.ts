import type { CallApi, CallOptions } from './call-api.ts'
import { asRecord, asRecords, type JsonRecord, numberField, requiredText } from './json-fields.ts'
import type { QueueName } from './queues.ts'

/** What becomes of the messages: put back, or gone. Putting back counts towards a quorum queue's delivery limit. */
export type GetMode =
  | 'ack_requeue_true'
  | 'ack_requeue_false'
  | 'reject_requeue_true'
  | 'reject_requeue_false'

/** A message as JSON shows it: types of headers are lost, so it is for looking, never for moving. */
export interface ManagedMessage {
  readonly exchange: string
  readonly routingKey: string
  readonly isRedelivered: boolean
  readonly properties: JsonRecord
  readonly headers: JsonRecord
  readonly body: Buffer
  /** What is left in the queue behind it. */
  readonly messageCount: number | undefined
}

export type GetMessages = (
  queue: QueueName & { readonly count: number; readonly mode: GetMode },
  options?: CallOptions,
) => Promise<readonly ManagedMessage[]>

/** For tests and single looks. RabbitMQ advises against it for anything else. */
export function getMessagesOf(callApi: CallApi): GetMessages {
  return async ({ vhost, name, count, mode }, options) => {
    const { json } = await callApi({
      method: 'POST',
      action: 'get messages of',
      path: ['queues', vhost, name, 'get'],
      subject: `queue "${name}" in vhost "${vhost}"`,
      body: { count, ackmode: mode, encoding: 'base64' },
      options,
    })
    return asRecords(json).map(readMessage)
  }
}

function readMessage(message: JsonRecord): ManagedMessage {
  const { headers, ...properties } = asRecord(message.properties)
  return {
    exchange: requiredText(message, 'exchange'),
    routingKey: requiredText(message, 'routing_key'),
    isRedelivered: message.redelivered === true,
    properties,
    headers: asRecord(headers),
    body: Buffer.from(requiredText(message, 'payload'), 'base64'),
    messageCount: numberField(message, 'message_count'),
  }
}
