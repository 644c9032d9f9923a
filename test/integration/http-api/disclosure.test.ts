import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type {
  Approval,
  ApprovalList,
  AuditPage,
  Problem,
  Receipt,
  Task,
} from '../../../packages/cli/src/http-api/contract/contract.ts'
import { createSetDigest } from '../../../packages/warrenmq/src/recovery/receipt/set-digest.ts'
import { encodeProperties } from '../../../packages/warrenmq/src/wire/properties.ts'
import { namePerTry } from '../../support/name-per-try.ts'
import { type ApiRig, deadLetterTo, startApiRig } from './api-rig.ts'
import { useApiBroker } from './use-api-broker.ts'

const broker = await useApiBroker()
const { as } = broker
const card = { card: { number: '4111' } }
let hiding: ApiRig
let masking: ApiRig

beforeAll(async () => {
  const people = { ann: 'administrator', bob: 'administrator', olga: 'policymaker', vera: 'monitoring' }
  for (const [name, tag] of Object.entries(people)) await broker.createAccount(name, { tag })
  const server = { approval: { above: 1 } }
  hiding = await startApiRig({
    ...broker,
    server: { ...server, payloads: { hideFrom: ['viewer', 'operator'] } },
  })
  masking = await startApiRig({ ...broker, server: { ...server, payloads: { mask: ['card.number'] } } })
})
afterAll(async () => {
  await Promise.all([hiding.close(), masking.close()])
})

async function fill(queue: string, count: number): Promise<void> {
  await hiding.declareDlq(queue)
  await hiding.declareDlq(`${queue}.work`, deadLetterTo(queue))
  const message = { key: queue, body: card, messageId: 'm', headers: { 'x-original-queue': `${queue}.work` } }
  await hiding.publish(Array.from({ length: count }, () => message))
}

/** What somebody can work out who guesses the body of the only message that moved. */
function guess(body: object): string {
  const digest = createSetDigest()
  digest.add({ body: Buffer.from(JSON.stringify(body)), properties: encodeProperties({ messageId: 'm' }) })
  return digest.text()
}

async function redriveOne({ app }: ApiRig, queue: string): Promise<string> {
  await fill(queue, 1)
  const started = await app.inject({
    method: 'POST',
    url: '/api/v1/redrives',
    headers: as('ann'),
    payload: { queue },
  })
  const { id } = started.json<Task>()
  await app.inject({ url: `/api/v1/tasks/${id}/events`, headers: as('ann') })
  return id
}

async function digestFor({ app }: ApiRig, id: string, name: string): Promise<string | null> {
  const receipt = await app.inject({ url: `/api/v1/tasks/${id}/receipt`, headers: as(name) })
  expect(receipt.json<Receipt>()).toMatchObject({ id, moved: 1, isBalanced: true })
  return receipt.json<Receipt>().digest
}

async function auditedDigests({ app }: ApiRig, queue: string): Promise<(string | null)[]> {
  const { items } = (await app.inject({ url: '/api/v1/audit', headers: as('ann') })).json<AuditPage>()
  return items.filter(({ target }) => target === queue).map(({ receiptDigest }) => receiptDigest)
}

describe('the digest of a receipt, by which a body could be guessed', () => {
  it('is shown to who may see payloads, and to nobody else', async () => {
    const queue = `${namePerTry('hidden')}.dlq`
    const id = await redriveOne(hiding, queue)

    expect(await digestFor(hiding, id, 'ann')).toBe(guess(card))
    expect(await digestFor(hiding, id, 'olga')).toBeNull()
    expect(await digestFor(hiding, id, 'vera')).toBeNull()
    expect(await auditedDigests(hiding, queue)).toEqual([guess(card), null])
  })

  it('is shown to nobody where parts of payloads are masked, also in the audit log', async () => {
    const queue = `${namePerTry('masked')}.dlq`
    const id = await redriveOne(masking, queue)

    expect(await digestFor(masking, id, 'ann')).toBeNull()
    expect(await auditedDigests(masking, queue)).toEqual([null, null])
    expect(await auditedDigests(hiding, queue)).toEqual([guess(card), null])
  })
})

describe('an approval', () => {
  const post = (path: string, name: string, payload?: object) =>
    hiding.app.inject({
      method: 'POST',
      url: `/api/v1/${path}`,
      headers: as(name),
      ...(payload && { payload }),
    })

  async function ask(path: string, payload: object): Promise<Approval> {
    const asked = await post(path, 'ann', payload)
    expect(asked.statusCode, asked.body).toBe(202)
    return asked.json<Approval>()
  }

  const read = async <Answer>(url: string, name: string) =>
    (await hiding.app.inject({ url: `/api/v1/${url}`, headers: as(name) })).json<Answer>()

  it('shows a filter over bodies to who may see them, and to nobody else, one by one and in the list', async () => {
    await fill('sought.dlq', 2)
    const request = { queue: 'sought.dlq', where: 'body.card.number:4111' }
    const { id } = await ask('redrives', request)

    const seenBy = async (name: string) => {
      const list = await read<ApprovalList>('approvals', name)
      const listed = list.items.find((each) => each.id === id)!
      const single = await read<Approval>(`approvals/${id}`, name)
      expect(single).toEqual(listed)
      return single.asks
    }

    expect(await seenBy('ann')).toEqual({ action: 'redrive', request })
    for (const name of ['olga', 'vera'])
      expect(await seenBy(name)).toEqual({ action: 'redrive', request: { ...request, where: '***' } })
    expect(await seenBy('bob')).toEqual({ action: 'redrive', request })
  })

  it('shows a filter that is about no body to everybody', async () => {
    await fill('plain.dlq', 2)
    const { id } = await ask('redrives', { queue: 'plain.dlq', where: 'type:order' })

    const { asks } = await read<Approval>(`approvals/${id}`, 'vera')

    expect(asks).toMatchObject({ request: { where: 'type:order' } })
  })

  it('of a filter over bodies is not granted by who may not see them', async () => {
    await fill('blind.dlq', 2)
    const { id } = await ask('redrives', { queue: 'blind.dlq', where: 'body.card.number:4111' })

    const granted = await post(`approvals/${id}/grant`, 'olga')

    expect([granted.statusCode, granted.json<Problem>().code]).toEqual([403, 'API_FORBIDDEN'])
    expect(await read<Approval>(`approvals/${id}`, 'ann')).toMatchObject({ state: 'waiting' })
  })
})
