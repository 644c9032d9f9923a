import { ApiError } from 'warrenmq/operations'

/**
 * Refuses text with half of a character, which JSON can write and UTF-8 cannot: it would be stored as another character.
 * Only for bodies of requests, which are no deeper than `refuseDeepJson` lets through.
 */
export function refuseBrokenText(value: unknown, path = 'body'): void {
  if (typeof value === 'string' && hasLoneSurrogate.test(value))
    throw new ApiError({
      code: 'API_REQUEST_INVALID',
      message: `${path} is not valid Unicode: it contains half of a surrogate pair. Send bytes as base64.`,
    })
  if (typeof value !== 'object' || value === null) return
  for (const [name, each] of Object.entries(value)) {
    refuseBrokenText(name, `a name in ${path}`)
    refuseBrokenText(each, `${path}.${name}`)
  }
}

const hasLoneSurrogate = /\p{Surrogate}/u
