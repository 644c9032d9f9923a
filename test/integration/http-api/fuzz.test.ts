import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import type { InjectOptions } from 'fastify'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createToken } from '../../../src/http-api/auth/api-tokens.ts'
import { endpoints } from '../../../src/http-api/endpoints.ts'
import { startEmbeddedBroker } from '../../../src/testing/index.ts'
import { type ApiRig, startApiRig } from './api-rig.ts'
import type { AnyEndpoint, JsonSchema } from './fitting-request.ts'

const all = Object.values(endpoints) as AnyEndpoint[]
const names = Object.keys(endpoints)
/** Another run: WARREN_HTTP_FUZZ_RUNS=100000 WARREN_HTTP_FUZZ_SEED=1. */
const runs = Math.ceil(Number(process.env.WARREN_HTTP_FUZZ_RUNS ?? 10_000) / all.length)
const seed = Number(process.env.WARREN_HTTP_FUZZ_SEED ?? 7_919)
const queue = 'fuzzed.dlq'

const broker = await startEmbeddedBroker()
const folder = mkdtempSync(join(tmpdir(), 'warren-fuzz-'))
const { token, hash } = createToken()
let rig: ApiRig
let backup: Buffer
let sent = 0
/** Endpoints that did what they were asked at least once. */
const reached = new Set<string>()
/** Ids and keys that answers told, so that some requests are about what is there. */
const known: Record<string, string[]> = {}

beforeAll(async () => {
  rig = await startApiRig({
    ...broker,
    declared: { queues: { 'fuzzed.orders': { retry: { delays: ['5s'] } } } },
    server: {
      ...{ approval: { above: 5 }, backups: { folder } },
      auth: { tokens: [{ name: 'fuzz', role: 'admin', hash }] },
    },
  })
  await rig.declareDlq(queue)
  await fill()
  const answer = await rig.app.inject({
    ...{ url: `/api/v1/dlqs/${queue}/backup`, headers: { authorization: `Bearer ${token}` } },
  })
  backup = answer.rawPayload
})
afterAll(async () => {
  await rig.close()
  await broker.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** Some of the requests take messages away. */
async function fill(): Promise<void> {
  const { ready } = broker.inspect(queue)!.counts
  if (ready < 3)
    await rig.publish([1, 2, 3].map((at) => ({ key: queue, body: { at }, messageId: `m-${at}` })))
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
function valueFor(schema: JsonSchema, name = ''): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 5, arbitrary: fitting(schema, name) }, { weight: 1, arbitrary: hostile })
}

function fitting(schema: JsonSchema, name: string): fc.Arbitrary<unknown> {
  const { type, enum: names, pattern, properties, patternProperties, anyOf } = schema
  if (properties) {
    const fields = Object.entries(properties).map(([each, of]) => [each, valueFor(of, each)] as const)
    const extra = { unknown: hostile }
    const requiredKeys = [...(schema.required ?? [])]
    return fc.oneof(
      { weight: 8, arbitrary: fc.record(Object.fromEntries(fields), { requiredKeys }) },
      { weight: 1, arbitrary: fc.record({ ...Object.fromEntries(fields), ...extra }, { requiredKeys: [] }) },
    )
  }
  if (patternProperties) return fc.dictionary(fc.string(), valueFor(Object.values(patternProperties)[0]!))
  if (anyOf) return fc.oneof(...anyOf.map((each) => fitting(each, name)))
  if (names) return fc.constantFrom(...names)
  if (pattern !== undefined) {
    const random = fc.stringMatching(new RegExp(pattern))
    return name === 'id' || name === 'key' ? fc.oneof(random, knownName(name)) : random
  }
  if (type === 'integer' || type === 'number') return fc.integer({ min: 1, max: 50 })
  if (type === 'boolean') return fc.boolean()
  if (name === 'where') return fc.constantFrom('type:A', 'a:b', '(', 'not body.at:1', 'died>30d', 'x or')
  return fc.constantFrom(queue, queue, 'retry', 'fuzzed.orders')
}

function knownName(field: string): fc.Arbitrary<unknown> {
  return fc.nat().map((at) => known[field]?.[at % known[field].length] ?? 'none yet')
}

function requestTo({ method, path, params, query, body, accepts }: AnyEndpoint): fc.Arbitrary<InjectOptions> {
  return fc
    .record({
      params: params ? valueFor(params as JsonSchema) : fc.constant({}),
      query: query ? valueFor(query as JsonSchema) : fc.constant({}),
      payload: accepts ? uploads : body ? texts(body as JsonSchema) : fc.constant(undefined),
      type: fc.oneof(
        { weight: 20, arbitrary: fc.constant(accepts?.mediaType ?? 'application/json') },
        { weight: 1, arbitrary: fc.constantFrom('text/plain', 'application/xml', 'application/gzip', 'x') },
      ),
    })
    .map(({ params: given, query: asked, payload, type }) => ({
      method,
      // A task that another request has paused tells of no end.
      url: path.endsWith('/events')
        ? fillPath(path, { id: '00000000-0000-4000-8000-000000000000' })
        : `${fillPath(path, given as Record<string, unknown> | null)}?${encodeQuery(asked)}`,
      ...(payload !== undefined && { payload, headers: { 'content-type': type } }),
    }))
}

function texts(schema: JsonSchema): fc.Arbitrary<string> {
  const whole = valueFor(schema).map((value) => JSON.stringify(value) ?? '')
  const torn = whole.map((text) => text.slice(0, -1))
  return fc.oneof({ weight: 12, arbitrary: whole }, { weight: 1, arbitrary: torn })
}

/** A right backup, one that was torn, one with a byte changed, and what is none. */
const uploads = fc.oneof(
  fc.constant(undefined).map(() => backup),
  fc.nat().map((at) => backup.subarray(0, at % backup.length)),
  fc.tuple(fc.nat(), fc.nat(255)).map(([at, byte]) => {
    const changed = Buffer.from(backup)
    changed[at % backup.length] = byte
    return changed
  }),
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
)

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

async function check(request: InjectOptions, at: number): Promise<void> {
  sent += 1
  const answer = await rig.app.inject({
    ...request,
    headers: { ...request.headers, authorization: `Bearer ${token}` },
    // Wrong credentials are counted by address.
    remoteAddress: `10.${(sent >> 16) & 255}.${(sent >> 8) & 255}.${sent & 255}`,
  })

  expect(answer.statusCode, answer.body).toBeLessThan(500)
  if (answer.statusCode < 400) {
    reached.add(names[at]!)
    for (const field of ['id', 'key']) {
      const told = [...answer.body.matchAll(new RegExp(`"${field}":"([0-9a-f-]{32,36})"`, 'g'))]
      known[field] = [...told.slice(0, 50).map(([, name]) => name!), ...(known[field] ?? [])].slice(0, 200)
    }
    return
  }
  expect(answer.headers['content-type']).toMatch(/^application\/problem\+json/)
  expect(answer.json()).toMatchObject({ status: answer.statusCode, code: expect.any(String) })
  expect(answer.body).not.toMatch(/node_modules|\.ts:\d|\bat [\w.]+ \(/)
  expect(answer.body).not.toContain(tmpdir())
}

/** What no chance gives: credentials, a digest, a queue of the isolated layout. Other tests reach these. */
const hardToReach = ['openSession', 'applyTopology', 'adminMessages', 'adminRedrive']

it(`no request makes the server fail, hang or tell of its inside (${runs * all.length} requests)`, async () => {
  await fc.assert(
    fc.asyncProperty(fc.tuple(...all.map(requestTo)), async (requests) => {
      await fill()
      // One to each endpoint, all at once: they meet each other on the same queue.
      await Promise.all(requests.map(check))
    }),
    { numRuns: runs, seed, endOnFailure: true },
  )
  expect(sent).toBeGreaterThanOrEqual(runs * all.length)
  const reachable = names.filter(
    (name, at) => !/:(id|key)/.test(all[at]!.path) && !hardToReach.includes(name),
  )
  expect(reachable.filter((name) => !reached.has(name))).toEqual([])
}, 600_000)
