import fc from 'fast-check'
import type { InjectOptions } from 'fastify'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Endpoint, endpoints } from '../../../src/http-api/endpoints.ts'
import { startEmbeddedBroker } from '../../../src/testing/index.ts'
import { type ApiRig, basic, startApiRig } from './api-rig.ts'

/** A longer run: WARREN_HTTP_FUZZ_RUNS=10000. */
const runs = Number(process.env.WARREN_HTTP_FUZZ_RUNS ?? 200)
const queue = 'fuzzed.dlq'

const broker = await startEmbeddedBroker()
let rig: ApiRig
beforeAll(async () => {
  rig = await startApiRig(broker)
  await rig.declareDlq(queue)
  await rig.publish([{ key: queue, body: { a: 1 }, messageId: 'only' }])
})
afterAll(async () => {
  await rig.close()
  await broker.stop()
})

interface JsonSchema {
  readonly type?: string
  readonly enum?: readonly string[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
}

/** What fits a schema about as often as not: right values, values of other types, hostile text. */
function valueFor({ type, enum: names, properties }: JsonSchema): fc.Arbitrary<unknown> {
  const hostile = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.constantFrom('', '\u0000', '../../etc/passwd', "';--", '%', '\ud800', '__proto__', 'x'.repeat(3000)),
    fc.integer(),
    fc.double(),
    fc.constantFrom(null, true, [], {}, [[]]),
  )
  if (properties) {
    const fields = Object.entries(properties).map(([name, schema]) => [name, valueFor(schema)] as const)
    const fitting = fc.record(Object.fromEntries(fields), { requiredKeys: [] })
    return fc.oneof({ weight: 6, arbitrary: fitting }, { weight: 1, arbitrary: hostile })
  }
  if (names) return fc.oneof(fc.constantFrom(...names), hostile)
  if (type === 'integer') return fc.oneof(fc.integer({ min: 1, max: 50 }), hostile)
  return fc.oneof(fc.constantFrom(queue, 'a:b', 'type:A', '(', 'retry'), hostile)
}

const all = Object.values(endpoints) as Endpoint<unknown, unknown, unknown, unknown>[]

const requests: fc.Arbitrary<InjectOptions> = fc
  .constantFrom(...all)
  .chain(({ method, path, params, query, body }) =>
    fc
      .record({
        params: params ? valueFor(params as JsonSchema) : fc.constant({}),
        query: query ? valueFor(query as JsonSchema) : fc.constant({}),
        payload: body ? valueFor(body as JsonSchema) : fc.constant(undefined),
      })
      .map(({ params: given, query: asked, payload }) => ({
        method,
        url: `${fill(path, given as Record<string, unknown>)}?${encodeQuery(asked)}`,
        ...(payload !== undefined && {
          payload: JSON.stringify(payload),
          headers: { 'content-type': 'application/json' },
        }),
      })),
  )

function fill(path: string, params: Record<string, unknown> | null): string {
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

it(`no request makes the server fail or tell of its inside (${runs} requests)`, async () => {
  await fc.assert(
    fc.asyncProperty(requests, async (request) => {
      const headers = { ...request.headers, authorization: basic('guest') }
      const answer = await rig.app.inject({ ...request, headers })

      expect(answer.statusCode, answer.body).toBeLessThan(500)
      expect(answer.body).not.toMatch(/node_modules|\.ts:\d|\bat [\w.]+ \(/)
      if (answer.statusCode >= 400) {
        expect(answer.headers['content-type']).toMatch(/^application\/problem\+json/)
        expect(answer.json()).toMatchObject({ status: answer.statusCode, code: expect.any(String) })
      }
    }),
    { numRuns: runs, seed: 7_919 },
  )
}, 600_000)
