import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { ApiError } from 'warrenmq/operations'
import type { OnceRequest } from './once.ts'

/** What a request is known by; undefined where it came without a key. An uploaded file is known by its length. */
export function readOnceKey(
  { caller, headers, method, url, body }: FastifyRequest,
  isUpload: boolean,
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
  const content = isUpload ? (headers['content-length'] ?? null) : (body ?? null)
  return { key: hash([wayIn, name, key]), request: hash([method, url, content]) }
}

function hash(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url')
}
