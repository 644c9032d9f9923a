import fc from 'fast-check'
import Value from 'typebox/value'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { MessagePage, Problem, Task } from '../../../packages/cli/src/http-api/contract/contract.ts'
import { endpoints } from '../../../packages/cli/src/http-api/contract/endpoints.ts'
import { decodeTable } from '../../../packages/warrenmq/src/wire/decode-table.ts'
import { namePerTry } from '../../support/name-per-try.ts'
import { type ApiRig, deadLetterTo, startApiRig } from './api-rig.ts'
import { type AnyEndpoint, fittingRequest } from './fitting-request.ts'
import { useApiBroker } from './use-api-broker.ts'

const broker = await useApiBroker()
const { headers } = broker
let rig: ApiRig
beforeAll(async () => {
  rig = await startApiRig(broker)
})
afterAll(() => rig.close())

/** A dead-letter queue with one message in it, and the address of that message. */
async function setup() {
  const queue = `${namePerTry('typed')}.dlq`
  await rig.declareDlq(queue)
  await rig.declareDlq(`${queue}.work`, deadLetterTo(queue))
  await rig.publish([
    {
      key: queue,
      body: 'as it was',
      messageId: 'one',
      headers: { 'x-original-queue': `${queue}.work`, retries: 3, flag: true, note: 'old' },
    },
  ])
  const page = await rig.app.inject({ url: `/api/v1/dlqs/${queue}/messages`, headers })
  return { queue, url: `/api/v1/dlqs/${queue}/messages/${page.json<MessagePage>().items[0]!.key}/redrive` }
}

/** What comes out of the queue when the message was edited: each header with its type, and the body. */
async function edit({ queue, url }: { queue: string; url: string }, payload: object) {
  const answer = await rig.app.inject({ method: 'POST', url, headers, payload })
  expect(answer.statusCode, answer.body).toBe(202)
  await rig.app.inject({ url: `/api/v1/tasks/${answer.json<Task>().id}/events`, headers })
  const [moved] = await broker.peek(`${queue}.work`)
  const table = decodeTable(moved!.properties.headers!)
  return { body: String(moved!.body), fields: new Map(table.map(({ name, value }) => [name, value])) }
}

describe('a header value of an edit', () => {
  it('arrives as what was sent, also where it looks like something else', async () => {
    const place = await setup()

    const { fields, body } = await edit(place, {
      headers: { retries: 0, flag: false, note: '', zip: '01234', one: 1, str: 'true' },
    })

    expect(Object.fromEntries(fields)).toMatchObject({
      retries: { type: 'I', value: 0 },
      flag: { type: 't', value: false },
      note: { type: 'S', value: '' },
      zip: { type: 'S', value: '01234' },
      one: { type: 'I', value: 1 },
      str: { type: 'S', value: 'true' },
    })
    expect(body).toBe('as it was')
  })

  it('arrives as a list or a table where it is one', async () => {
    const { fields } = await edit(await setup(), { headers: { list: [1, 'b', null], table: { a: [true] } } })

    expect(Object.fromEntries(fields)).toMatchObject({
      list: {
        type: 'A',
        value: [{ type: 'I', value: 1 }, { type: 'S', value: 'b' }, { type: 'V' }],
      },
      table: {
        type: 'F',
        value: [{ name: 'a', value: { type: 'A', value: [{ type: 't', value: true }] } }],
      },
    })
  })

  const name = fc.string({ minLength: 1, maxLength: 20 }).map((text) => `h-${text}`)
  const whole = fc.oneof(fc.integer(), fc.maxSafeInteger(), fc.constantFrom(0, 1, -1, 2 ** 31, -(2 ** 31)))
  const half = fc
    .double({ noNaN: true, noDefaultInfinity: true, min: -(2 ** 52), max: 2 ** 52 })
    .filter((each) => !Number.isInteger(each))
  const value = fc.oneof(
    fc.boolean(),
    whole,
    half,
    fc.string({ unit: 'binary' }),
    fc.constantFrom('', '0', '1', '01234', '1e3', 'true', 'false', 'null', ' ', '{}', '[]', 'NaN'),
  )

  function fieldOf(sent: boolean | number | string) {
    if (typeof sent === 'boolean') return { type: 't', value: sent }
    if (typeof sent === 'string') return { type: 'S', value: sent }
    if (!Number.isInteger(sent)) return { type: 'd', value: sent }
    return Math.abs(sent + 0.5) < 2 ** 31 ? { type: 'I', value: sent } : { type: 'l', value: BigInt(sent) }
  }

  it('arrives as that AMQP type and value, whatever it is', async () => {
    await fc.assert(
      fc.asyncProperty(fc.dictionary(name, value, { minKeys: 1, maxKeys: 80 }), async (sent) => {
        const { fields } = await edit(await setup(), { headers: sent })

        for (const [header, each] of Object.entries(sent)) expect(fields.get(header)).toEqual(fieldOf(each))
      }),
      { numRuns: 12 },
    )
  })

  it.each([
    ['a number that JSON cannot say', '9007199254740993'],
    ['one that is none', '1e400'],
    ['half a character', String.raw`"\ud800"`],
    ['a list with such a number', '[9007199254740993]'],
    ['nested too deep', `${'['.repeat(200)}${']'.repeat(200)}`],
  ])('is refused where it is %s', async (_, json) => {
    const { queue, url } = await setup()

    const answer = await rig.app.inject({
      method: 'POST',
      url,
      payload: `{"headers":{"a":${json}}}`,
      headers: { ...headers, 'content-type': 'application/json' },
    })

    expect(answer.statusCode, answer.body).toBe(400)
    expect(answer.json<Problem>().code).toBe('API_REQUEST_INVALID')
    expect(await broker.depth(queue)).toBe(1)
  })
})

describe('the new body of an edit', () => {
  it.each([
    ['is nothing', { encoding: 'utf8', text: null }],
    ['is a number', { encoding: 'utf8', text: 1 }],
    ['has no text', { encoding: 'utf8' }],
    ['is no base64', { encoding: 'base64', text: '!!!' }],
    ['is base64 that ends early', { encoding: 'base64', text: 'AAA' }],
    ['holds half a character', { encoding: 'utf8', text: '\ud800' }],
  ])('is refused where it %s, and the old one stays', async (_, body) => {
    const { queue, url } = await setup()

    const answer = await rig.app.inject({ method: 'POST', url, headers, payload: { body } })

    expect(answer.statusCode, answer.body).toBe(400)
    expect(await broker.depth(queue)).toBe(1)
  })

  it.each(['application/json', 'application/json; charset=iso-8859-1'])(
    'is refused where the request is not UTF-8, and not changed into what it is not: %s',
    async (type) => {
      const { queue, url } = await setup()
      const payload = Buffer.from('{"body":{"encoding":"utf8","text":"café"}}', 'latin1')

      const answer = await rig.app.inject({
        method: 'POST',
        url,
        payload,
        headers: { ...headers, 'content-type': type },
      })

      expect(answer.json<Problem>(), answer.body).toMatchObject({ status: 400, code: 'API_REQUEST_INVALID' })
      expect(answer.json<Problem>().detail).toContain('UTF-8')
      expect(await broker.depth(queue)).toBe(1)
    },
  )

  it('is what was sent, byte for byte', async () => {
    const text = Buffer.from([0, 1, 2, 253, 254, 255]).toString('base64')
    const place = await setup()

    await edit(place, { body: { encoding: 'base64', text } })

    const [moved] = await broker.peek(`${place.queue}.work`)
    expect(moved!.body.toString('base64')).toBe(text)
  })
})

/** What a validator that means well could take for something else. */
const values: readonly unknown[] = [null, true, false, 0, 1, 1.5, '', '1', 'true', ['x'], [1], [], {}]

const withBody = Object.entries(endpoints as unknown as Record<string, AnyEndpoint>).filter(
  ([, { body }]) => body !== undefined,
)

describe.each(withBody)('a field in the body of %s', (_, endpoint) => {
  it('is refused where it is of another type than it must be', async () => {
    const fitting = fittingRequest(endpoint, 'any.dlq')
    const schema = endpoint.body as { readonly properties: Readonly<Record<string, unknown>> } & object
    const wrong = Object.keys(schema.properties).flatMap((field) =>
      values
        .map((value) => ({ ...(fitting.payload as object), [field]: value }))
        .filter((payload) => !Value.Check(endpoint.body!, payload)),
    )
    expect(wrong.length).toBeGreaterThan(0)

    for (const payload of [...wrong, 'null', '[]', '1', '"x"']) {
      const type = { 'content-type': 'application/json' }
      const answer = await rig.app.inject({ ...fitting, payload, headers: { ...headers, ...type } })
      expect(answer.statusCode, JSON.stringify(payload)).toBe(400)
    }
  })
})

it.each([
  'limit=true',
  'limit=',
  'limit=1.5',
  'limit=1e2',
  'limit=1&limit=2',
  'where=a&where=b',
  'limit=0x10',
])('a query with %s is refused', async (query) => {
  const answer = await rig.app.inject({ url: `/api/v1/dlqs/any.dlq/messages?${query}`, headers })

  expect(answer.statusCode).toBe(400)
})

it.each([
  ['/api/v1/session', (deep: string) => deep],
  ['/api/v1/redrives/plan', (deep: string) => `{"queue":"any.dlq","edit":{"headers":{"a":${deep}}}}`],
  ['/api/v1/redrives', (deep: string) => `{"queue":"any.dlq","edit":{"headers":{"a":${deep}}}}`],
  ['/api/v1/dlqs/any.dlq/verify', (deep: string) => `{"receipt":{"a":${deep}}}`],
])('a body for %s that is nested without end is refused', async (url, payloadOf) => {
  const type = { 'content-type': 'application/json' }
  for (const payload of [payloadOf(nested('[', ']')), payloadOf(nested('{"a":[', ']}'))]) {
    const answer = await rig.app.inject({ method: 'POST', url, payload, headers: { ...headers, ...type } })

    expect(answer.json<Problem>(), answer.body).toMatchObject({ status: 400, code: 'API_REQUEST_INVALID' })
  }
})

function nested(open: string, close: string): string {
  return `${open.repeat(50_000)}${close.repeat(50_000)}`
}
