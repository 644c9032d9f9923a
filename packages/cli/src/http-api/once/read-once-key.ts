import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { ApiError } from 'warrenmq/operations'
import type { OnceRequest } from './once.ts'

/** What a request is known by, of which the content is a part; undefined where it came without a key. */
export function readOnceKey(
  { caller, headers, method, url }: Pick<FastifyRequest, 'caller' | 'headers' | 'method' | 'url'>,
  content: unknown,
): OnceRequest | undefined {
  const key = headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(key))
    throw new ApiError({
      code: 'API_REQUEST_INVALID',
      message:
        'The header idempotency-key must have 1 to 255 printable ASCII characters without spaces, such as a UUID.',
    })
  const { wayIn, name } = caller!
  return { key: hash([wayIn, name, key]), request: hash([method, url, content]) }
}

function hash(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url')
}
