import { ConsumerError } from '../errors.ts'

/** What a decoder reads of a message. */
export interface Undecoded {
  readonly rawBody: Buffer
  readonly contentType: string | undefined
  readonly id: string | undefined
}

export type BodyDecoder = (message: Undecoded) => unknown

/** JSON and text by content type; bytes where it says neither. */
export const decodeBody: BodyDecoder = (message) => {
  const { contentType = '' } = message
  if (/^application\/([\w.-]+\+)?json\b/i.test(contentType)) return parseJson(message)
  return /^text\//i.test(contentType) ? message.rawBody.toString('utf8') : message.rawBody
}

/** JSON whatever the content type says, for producers that say none. */
export const decodeJson: BodyDecoder = (message) => parseJson(message)

function parseJson({ rawBody, id }: Undecoded): unknown {
  try {
    return JSON.parse(rawBody.toString('utf8'))
  } catch (cause) {
    const which = id === undefined ? 'The message' : `The message "${id}"`
    throw new ConsumerError(
      {
        code: 'MESSAGE_UNDECODABLE',
        message: `${which} is not JSON: ${(cause as Error).message}.`,
        isPermanent: true,
      },
      { cause },
    )
  }
}
