import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type {
  AdminMessages,
  CauseList,
  MessageDetail,
  MessagePage,
  Task,
} from '../../../packages/cli/src/http-api/contract/contract.ts'
import { type ApiRig, deadLetterTo, setUpApi, startApiRig } from './api-rig.ts'
import { useApiBroker } from './use-api-broker.ts'

const broker = await useApiBroker()
const topology = { queues: { orders: { retry: { delays: ['1m'] } } } } as const
const people = { ann: 'administrator', olga: 'policymaker', vera: 'monitoring' }
const names = Object.keys(people)
const { as } = broker
const dlq = '/api/v1/dlqs/orders.dlq'
const admin = '/admin/dlq/queues/orders.dlq/messages'
const card = { card: { number: '4111' }, amount: 1 }
let open: ApiRig
let hiding: ApiRig
let masking: ApiRig

beforeAll(async () => {
  for (const [name, tag] of Object.entries(people)) await broker.createAccount(name, { tag })
  open = await startApiRig({ ...broker, topology })
  const rigWith = (payloads: object) =>
    startApiRig({ ...broker, declared: topology, server: { payloads, backups: { folder: '/nowhere' } } })
  hiding = await rigWith({ hideFrom: ['viewer', 'operator', 'admin'] })
  masking = await rigWith({ mask: ['card.number'] })
  await fill()
})
afterAll(async () => {
  for (const rig of [open, hiding, masking]) await rig.close()
})

/** In the order of the queue: a message, broken ones, and one that was edited and has died again. */
async function fill(): Promise<void> {
  await open.publish([
    { key: 'orders.dlq', body: card },
    { key: 'orders.dlq', body: Buffer.from('{"card":{"number":"4111"') },
    { key: 'orders.dlq', body: gzipSync(JSON.stringify(card)), contentEncoding: 'gzip' },
  ])
  await open.declareDlq('edited.dlq')
  await open.publish([{ key: 'edited.dlq', body: card }])
  const page = await open.app.inject({ url: '/api/v1/dlqs/edited.dlq/messages', headers: as('ann') })
  const { key } = page.json<MessagePage>().items[0]!
  const edited = await open.app.inject({
    method: 'POST',
    url: `/api/v1/dlqs/edited.dlq/messages/${key}/redrive`,
    headers: as('ann'),
    payload: { body: { encoding: 'utf8', text: '{"amount":2}' }, to: 'orders.dlq' },
  })
  await open.app.inject({ url: `/api/v1/tasks/${edited.json<Task>().id}/events`, headers: as('ann') })
}

async function detailsOf({ app }: ApiRig, name: string): Promise<MessageDetail[]> {
  const page = await app.inject({ url: `${dlq}/messages`, headers: as(name) })
  const details = page
    .json<MessagePage>()
    .items.map(({ key }) =>
      app.inject({ url: `${dlq}/messages/${key}`, headers: as(name) }).then((answer) => answer),
    )
  return (await Promise.all(details)).map((answer) => answer.json<MessageDetail>())
}

async function adminMessagesOf({ app }: ApiRig): Promise<AdminMessages['messages']> {
  return (await app.inject({ url: admin, headers: as('ann') })).json<AdminMessages>().messages
}

function previousOf({ headers }: MessageDetail): unknown {
  return headers.find(({ name }) => name === 'warren-previous')?.value
}

describe('a payload that nobody hides', () => {
  it('is shown, and so is what it was before it was edited', async () => {
    const details = await detailsOf(open, 'vera')
    const messages = await adminMessagesOf(open)

    expect(details.map(({ body }) => body?.encoding)).toEqual(['utf8', 'utf8', 'base64', 'utf8'])
    expect(details.map(({ decoded }) => decoded?.text)).toEqual([
      ...[undefined, undefined, JSON.stringify(card), undefined],
    ])
    const before = Buffer.from(JSON.stringify(card)).toString('base64')
    expect(previousOf(details[3]!)).toMatchObject({ body: before })
    expect(messages[0]!.payload).toContain('4111')
    expect(messages[3]!.headers).toMatchObject({ 'warren-previous': { body: before } })
  })
})

describe('a payload that is hidden from a role', () => {
  it.each(names)('is on no route for %s, and neither is what it was before it was edited', async (name) => {
    const details = await detailsOf(hiding, name)

    expect(details.map(({ body, bodyHidden, decoded }) => [body, bodyHidden, decoded])).toEqual(
      Array.from({ length: 4 }, () => [null, 'from-your-role', null]),
    )
    expect(previousOf(details[3]!)).toEqual({ body: '***', headers: {} })
  })

  it('is not on the endpoints of the isolated system', async () => {
    const messages = await adminMessagesOf(hiding)

    expect(messages.map(({ payload }) => payload)).toEqual([null, null, null, null])
    expect(messages[3]!.headers).toMatchObject({ 'warren-previous': { body: '***' } })
  })

  it.each(names)('cannot be had as a backup by %s', async (name) => {
    const kept = '/api/v1/backups/00000000-0000-4000-8000-000000000000'
    const urls = [`${dlq}/backup`, '/api/v1/backups', kept]

    const answers = await Promise.all(urls.map((url) => hiding.app.inject({ url, headers: as(name) })))

    expect(answers.map(({ statusCode }) => statusCode)).toEqual([403, 403, 403])
  })

  it('cannot be guessed from the name of its message, which all servers with one key give it', async () => {
    const keysOf = async ({ app }: ApiRig) =>
      (await app.inject({ url: `${dlq}/messages`, headers: as('ann') }))
        .json<MessagePage>()
        .items.map(({ key }) => key)
    const env = { WARREN_SESSION_KEY: 'shared by both servers of the test' }
    const rules = { payloads: { hideFrom: ['viewer'] } }
    const [one, two] = [
      await setUpApi({ ...broker, env, server: rules }),
      await setUpApi({ ...broker, env, server: rules }),
    ]

    // Whoever sees the rest of a message can make its hash for any body; an open server shows how.
    const hashes = await keysOf(open)
    const [hidden, masked] = [await keysOf(hiding), await keysOf(masking)]
    const [ofOne, ofTwo] = [await keysOf(one), await keysOf(two)]

    expect(hashes).toHaveLength(4)
    for (const keys of [hidden, masked, ofOne]) {
      expect(new Set(keys).size).toBe(4)
      expect(keys.filter((key) => hashes.includes(key))).toEqual([])
    }
    expect(ofTwo).toEqual(ofOne)
  })

  it('does not keep its message from being put back by that name', async () => {
    await hiding.declareDlq('named.dlq')
    await hiding.declareDlq('named.work', deadLetterTo('named.dlq'))
    const message = { key: 'named.dlq', headers: { 'x-original-queue': 'named.work' } }
    await hiding.publish([1, 2].map((body) => ({ ...message, body })))
    const url = '/api/v1/dlqs/named.dlq/messages'
    const page = await hiding.app.inject({ url, headers: as('ann') })
    const { key } = page.json<MessagePage>().items[1]!

    const redriven = await hiding.app.inject({
      method: 'POST',
      url: `${url}/${key}/redrive`,
      headers: as('ann'),
      payload: {},
    })
    const { id } = redriven.json<Task>()
    await hiding.app.inject({ url: `/api/v1/tasks/${id}/events`, headers: as('ann') })

    await broker.expectDepths({ 'named.dlq': 1, 'named.work': 1 })
    const left = await hiding.app.inject({ url, headers: as('ann') })
    expect(left.json<MessagePage>().items.map((each) => each.key)).toEqual([
      page.json<MessagePage>().items[0]!.key,
    ])
  })

  it('is found by no filter, also where it stands in a header', async () => {
    const query = { where: 'header.warren-previous:*4111*' }
    const answer = await hiding.app.inject({ url: `${dlq}/messages`, query, headers: as('ann') })

    expect(answer.statusCode).toBe(403)
  })
})

describe('a payload of which parts are masked', () => {
  it('is shown without them, and not at all where it cannot be read', async () => {
    const details = await detailsOf(masking, 'ann')

    expect(details.map(({ body, bodyHidden }) => [body?.text, body?.isMasked, bodyHidden])).toEqual([
      ['{"card":{"number":"***"},"amount":1}', true, null],
      [undefined, undefined, 'cannot-be-masked'],
      [undefined, undefined, 'cannot-be-masked'],
      ['{"amount":2}', false, null],
    ])
    expect(details[2]!.decoded).toMatchObject({
      text: '{"card":{"number":"***"},"amount":1}',
      isMasked: true,
    })
    expect(JSON.stringify(details)).not.toContain('4111')
    const { body } = previousOf(details[3]!) as { body: string }
    expect(Buffer.from(body, 'base64').toString()).toBe('{"card":{"number":"***"},"amount":1}')
  })

  it('is so on the endpoints of the isolated system, too', async () => {
    const messages = await adminMessagesOf(masking)

    expect(messages.map(({ payload }) => payload)).toEqual([
      ...['{"card":{"number":"***"},"amount":1}', null, null, '{"amount":2}'],
    ])
    const { body } = (messages[3]!.headers as Record<string, { body: string }>)['warren-previous']!
    expect(Buffer.from(body, 'base64').toString()).not.toContain('4111')
  })

  it('is not replaced where it cannot be read', async () => {
    const page = await masking.app.inject({ url: `${dlq}/messages`, headers: as('ann') })
    const { key } = page.json<MessagePage>().items[1]!

    const answer = await masking.app.inject({
      method: 'POST',
      url: `${dlq}/messages/${key}/redrive`,
      headers: as('ann'),
      payload: { body: { encoding: 'utf8', text: '{}' } },
    })

    expect(answer.statusCode).toBe(403)
  })
})

describe('causes', () => {
  const causesOf = ({ app }: ApiRig, query: string) =>
    app.inject({ url: `${dlq}/causes?${query}`, headers: as('ann') })

  it('are grouped by what bodies hold for who is shown them, and for nobody else', async () => {
    const shown = await causesOf(open, 'groupBy=body.amount')
    const refused = [
      await causesOf(hiding, 'groupBy=body.amount'),
      await causesOf(masking, 'groupBy=body.card'),
    ]
    const byHeader = await causesOf(hiding, 'groupBy=key,header.tenant&where=key:*')

    expect(shown.json<CauseList>().causes.flatMap(({ by }) => by)).toContainEqual({
      field: 'body.amount',
      value: '1',
    })
    expect(refused.map(({ statusCode }) => statusCode)).toEqual([403, 403])
    expect(byHeader.statusCode).toBe(200)
  })

  it('propose no field of a body to who is not shown it', async () => {
    await open.declareDlq('split.dlq')
    await open.publish(
      [1, 2, 3, 4].map((number) => ({ key: 'split.dlq', body: { gateway: number % 2 ? 'acme' : 'zenith' } })),
    )
    const fieldsFor = async ({ app }: ApiRig) => {
      const answer = await app.inject({ url: '/api/v1/dlqs/split.dlq/causes', headers: as('ann') })
      return answer.json<CauseList>().causes.flatMap(({ splits }) => splits.map(({ field }) => field))
    }

    expect(await fieldsFor(open)).toEqual(['body.gateway'])
    expect(await fieldsFor(hiding)).toEqual([])
    expect(await fieldsFor(masking)).toEqual([])
  })
})
