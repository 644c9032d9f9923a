import type { ChannelError, ConnectionError } from '../../errors.ts'
import type { ReturnedMessage } from './message.ts'

/** What a channel tells besides answers: confirms and returns go to who publishes, the rest to who supervises. */
export interface ChannelEvents {
  /** The channel is gone, for good; `error` is undefined when we closed it ourselves. */
  closed: { readonly error: ChannelError | ConnectionError | undefined }
  /** The broker took (or refused) the publish with this number, or all up to it. */
  confirmed: { readonly tag: number; readonly multiple: boolean; readonly isAck: boolean }
  /** No queue took a mandatory publish: the broker gave it back, before its confirm. */
  returned: ReturnedMessage
  /** The broker ended a consumer: its queue is gone, or its node is. */
  cancelled: { readonly consumerTag: string }
}
