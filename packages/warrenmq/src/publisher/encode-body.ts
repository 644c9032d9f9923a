import { InvalidArgumentError } from '../errors.ts'

const bytesType = 'application/octet-stream'

/** The bytes of a body, and the content type that says what they are. */
export function encodeBody(body: unknown): [Buffer, string] {
  if (Buffer.isBuffer(body)) return [body, bytesType]
  if (typeof body === 'string') return [Buffer.from(body, 'utf8'), 'text/plain; charset=utf-8']
  if (ArrayBuffer.isView(body)) return [Buffer.from(body.buffer, body.byteOffset, body.byteLength), bytesType]
  if (body instanceof ArrayBuffer || body instanceof SharedArrayBuffer) return [Buffer.from(body), bytesType]
  const json = stringify(body)
  if (json !== undefined) {
    if (json === '{}' || json === 'null') refuseEmptied(body, json)
    else if (json.includes('{}')) JSON.stringify(body, refuseEmptiedField)
    return [Buffer.from(json, 'utf8'), 'application/json']
  }
  throw new InvalidArgumentError(
    `A body of type ${typeof body} cannot be sent. Give bytes, text or a JSON value.`,
  )
}

function stringify(body: unknown): string | undefined {
  if (typeof (body as { then?: unknown } | null | undefined)?.then === 'function')
    throw new InvalidArgumentError('The body is a promise. Await it first.')
  try {
    return JSON.stringify(body)
  } catch (cause) {
    throw new InvalidArgumentError(`The body cannot be written as JSON: ${(cause as Error).message}`, {
      cause,
    })
  }
}

/** JSON leaves nothing of these, and says nothing. An object of the user's own class may well be empty. */
function refuseEmptied(body: unknown, json: string): void {
  if (typeof body === 'number')
    throw new InvalidArgumentError(`A body that is ${body} cannot be sent: as JSON it would be ${json}.`)
  if (typeof body !== 'object' || body === null) return
  const kind = Object.prototype.toString.call(body).slice(8, -1)
  if (kind === 'Object') return
  throw new InvalidArgumentError(
    `A body that is ${withArticle(kind)} cannot be sent: as JSON it would be ${json}. Give bytes, text or a JSON value.`,
  )
}

/** For `JSON.stringify`: a promise that was not awaited, or a Map, leaves `{}` where its content should be. */
function refuseEmptiedField(name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Object.keys(value).length > 0) return value
  const kind = Object.prototype.toString.call(value).slice(8, -1)
  if (!emptiedKinds.has(kind)) return value
  const advice = kind === 'Promise' ? 'Await it first.' : 'Give text, numbers, lists and plain objects.'
  throw new InvalidArgumentError(
    `The field ${JSON.stringify(name)} of the body is ${withArticle(kind)}, which JSON would turn into {}. ${advice}`,
  )
}

/** Only what surely loses something: an empty object of any other kind may be meant. */
const emptiedKinds: ReadonlySet<string> = new Set([
  'Promise',
  'Map',
  'Set',
  'WeakMap',
  'WeakSet',
  'Blob',
  'File',
  'ArrayBuffer',
  'SharedArrayBuffer',
  'FormData',
  'Headers',
  'URLSearchParams',
  'Request',
  'Response',
])

function withArticle(kind: string): string {
  return `${/^[AEIO]/.test(kind) ? 'an' : 'a'} ${kind}`
}
