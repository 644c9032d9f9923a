import { ApiError } from 'warrenmq/operations'

const decoder = new TextDecoder('utf-8', { fatal: true })

/** The text of a body. Other bytes are refused: whoever reads them as UTF-8 puts another character in their place. */
export function readUtf8(body: Buffer): string {
  try {
    return decoder.decode(body)
  } catch (cause) {
    const message = 'The body is not valid UTF-8, which JSON has to be. Send it as UTF-8.'
    throw new ApiError({ code: 'API_REQUEST_INVALID', message }, { cause })
  }
}
