import fc from 'fast-check'
import type { InjectOptions } from 'fastify'
import type { AnyEndpoint, JsonSchema } from './fitting-request.ts'

/** What a request can be about; it grows while answers tell of more. */
export interface Fuzzed {
  readonly queue: string
  /** Of that queue. */
  readonly backup: Buffer
  /** Ids and keys that answers told, so that some requests are about what is there. */
  readonly known: Record<string, string[]>
}

/** Requests to one endpoint, of which most fit its schemas, and many of those do something. */
export function requestTo(
  { method, path, params, query, body, accepts }: AnyEndpoint,
  about: Fuzzed,
): fc.Arbitrary<InjectOptions> {
  return fc
    .record({
      params: params ? valueFor({ schema: params as JsonSchema, about }) : fc.constant({}),
      query: query ? valueFor({ schema: query as JsonSchema, about }) : fc.constant({}),
      payload: accepts
        ? uploads(about)
        : body
          ? texts({ schema: body as JsonSchema, about })
          : fc.constant(undefined),
      type: fc.oneof(
        { weight: 20, arbitrary: fc.constant(accepts?.mediaType ?? 'application/json') },
        { weight: 1, arbitrary: fc.constantFrom('text/plain', 'application/xml', 'application/gzip', 'x') },
      ),
    })
    .map(({ params: given, query: asked, payload, type }) => ({
      method,
      url: `${fillPath(path, given as Record<string, unknown> | null)}?${encodeQuery(asked)}`,
      ...(payload !== undefined && { payload, headers: { 'content-type': type } }),
    }))
}

const hostile = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.constantFrom('', '\u0000', '../../etc/passwd', "';--", '%', '\ud800', '__proto__', 'x'.repeat(3000)),
  fc.constantFrom('constructor', '\r\nx: y', '{{7*7}}', '-1', '1e309', 'NaN', '9'.repeat(40)),
  fc.integer(),
  fc.double(),
  fc.constantFrom(null, true, [], {}, [[]], { a: { b: { c: [] } } }),
)

/** What fits a schema more often than not: right values, values of other types, hostile text. */
function valueFor(field: Field): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 5, arbitrary: fitting(field) }, { weight: 1, arbitrary: hostile })
}

interface Field {
  readonly schema: JsonSchema
  readonly about: Fuzzed
  readonly name?: string
}

function fitting({ schema, about, name = '' }: Field): fc.Arbitrary<unknown> {
  const { type, enum: names, pattern, properties, patternProperties, anyOf, items } = schema
  if (properties) {
    const fields = Object.entries(properties).map(
      ([each, of]) => [each, valueFor({ schema: of, about, name: each })] as const,
    )
    const extra = { unknown: hostile }
    const requiredKeys = [...(schema.required ?? [])]
    return fc.oneof(
      { weight: 5, arbitrary: fc.record(Object.fromEntries(fields), { requiredKeys }) },
      { weight: 3, arbitrary: few(Object.fromEntries(fields), requiredKeys) },
      { weight: 1, arbitrary: fc.record({ ...Object.fromEntries(fields), ...extra }, { requiredKeys: [] }) },
    )
  }
  if (patternProperties)
    return fc.dictionary(fc.string(), valueFor({ schema: Object.values(patternProperties)[0]!, about }))
  if (anyOf) return fc.oneof(...anyOf.map((each) => fitting({ schema: each, about, name })))
  if (names) return fc.constantFrom(...names)
  // Only queries have lists, with commas between.
  if (items)
    return fc.array(fitting({ schema: items, about, name }), { minLength: 1, maxLength: 3 }).map(String)
  const [earliest, latest] = ['2020-01-31', '2999-12-31T23:59:59.9+02:00']
  if (name === 'from' || name === 'to')
    return fc.constantFrom(name === 'from' ? earliest : latest, '2020-02-31')
  if (pattern !== undefined) {
    const random = fc.stringMatching(new RegExp(pattern))
    return name === 'id' || name === 'key' ? fc.oneof(random, knownName(about, name)) : random
  }
  if (type === 'integer' || type === 'number') return fc.integer({ min: 1, max: 50 })
  if (type === 'boolean') return fc.boolean()
  if (name === 'where') return fc.constantFrom('type:A', 'a:b', '(', 'not body.at:1', 'died>30d', 'x or')
  return fc.constantFrom(about.queue, about.queue, 'retry', 'fuzzed.orders')
}

/** With all of many fields hardly a request is right. */
function few(
  fields: Readonly<Record<string, fc.Arbitrary<unknown>>>,
  requiredKeys: readonly string[],
): fc.Arbitrary<unknown> {
  const optional = Object.keys(fields).filter((name) => !requiredKeys.includes(name))
  return fc.subarray(optional, { maxLength: Math.min(2, optional.length) }).chain((chosen) => {
    const names = [...requiredKeys, ...chosen]
    return fc.record(Object.fromEntries(names.map((name) => [name, fields[name]!])))
  })
}

function knownName({ known }: Fuzzed, field: string): fc.Arbitrary<unknown> {
  return fc.nat().map((at) => known[field]?.[at % known[field].length] ?? 'none yet')
}

function texts(field: Field): fc.Arbitrary<string> {
  const whole = valueFor(field).map((value) => JSON.stringify(value) ?? '')
  const torn = whole.map((text) => text.slice(0, -1))
  return fc.oneof({ weight: 12, arbitrary: whole }, { weight: 1, arbitrary: torn })
}

/** A right backup, one that was torn, one with a byte changed, and what is none. */
function uploads({ backup }: Fuzzed): fc.Arbitrary<Buffer> {
  return fc.oneof(
    fc.constant(backup),
    fc.nat().map((at) => backup.subarray(0, at % backup.length)),
    fc.tuple(fc.nat(), fc.nat(255)).map(([at, byte]) => {
      const changed = Buffer.from(backup)
      changed[at % backup.length] = byte
      return changed
    }),
    fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  )
}

function fillPath(path: string, params: Record<string, unknown> | null): string {
  return path.replaceAll(/:(\w+)/g, (_, name: string) => encode(params?.[name] ?? 'x'))
}

function encodeQuery(query: unknown): string {
  if (typeof query !== 'object' || query === null) return encode(query)
  return Object.entries(query)
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .join('&')
}

/** Half a character has no percent form; the raw bytes of it have. */
function encode(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  return [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
}
