import { bytesOfText, readShortText } from '../../wire/short-text.ts'

/**
 * The broker's refusal of what a client asked. It is answered on the wire and never reaches a user of
 * Warren as an exception, so it is not one of Warren's errors.
 */
export class ProtocolError extends Error {
  readonly condition: Condition
  /** A soft error closes the channel, a hard one the connection. */
  readonly closes: 'channel' | 'connection'
  readonly replyCode: number

  constructor(condition: Condition, explanation: string) {
    super(explanation)
    this.name = 'ProtocolError'
    this.condition = condition
    this.replyCode = conditions[condition].code
    this.closes = conditions[condition].closes
  }

  /** As RabbitMQ words it: the name of the condition, a dash, the explanation; at most 255 bytes. */
  get replyText(): string {
    return this.message === '' ? this.condition : cutToShortText(`${this.condition} - ${this.message}`)
  }
}

/** What a client is told when it has made RabbitMQ stumble: nothing but that. */
export function stumble(): ProtocolError {
  return new ProtocolError('INTERNAL_ERROR', '')
}

const conditions = {
  CONNECTION_FORCED: { code: 320, closes: 'connection' },
  ACCESS_REFUSED: { code: 403, closes: 'channel' },
  NOT_FOUND: { code: 404, closes: 'channel' },
  RESOURCE_LOCKED: { code: 405, closes: 'channel' },
  PRECONDITION_FAILED: { code: 406, closes: 'channel' },
  FRAME_ERROR: { code: 501, closes: 'connection' },
  SYNTAX_ERROR: { code: 502, closes: 'connection' },
  COMMAND_INVALID: { code: 503, closes: 'connection' },
  CHANNEL_ERROR: { code: 504, closes: 'connection' },
  UNEXPECTED_FRAME: { code: 505, closes: 'connection' },
  RESOURCE_ERROR: { code: 506, closes: 'connection' },
  NOT_ALLOWED: { code: 530, closes: 'connection' },
  NOT_IMPLEMENTED: { code: 540, closes: 'connection' },
  INTERNAL_ERROR: { code: 541, closes: 'connection' },
} as const

export type Condition = keyof typeof conditions

function cutToShortText(text: string): string {
  const bytes = bytesOfText(text)
  if (bytes.length <= 255) return text
  // RabbitMQ cuts at 252 bytes, even within a character, and adds an ellipsis of three dots.
  return `${readShortText(bytes, 0, 252)}...`
}
