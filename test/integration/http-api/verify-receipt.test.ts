import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type {
  Problem,
  Receipt,
  Task,
  Verification,
} from '../../../packages/cli/src/http-api/contract/contract.ts'
import { eventually } from '../../support/eventually.ts'
import { namePerTry } from '../../support/name-per-try.ts'
import { type ApiRig, deadLetterTo, startApiRig } from './api-rig.ts'
import { useApiBroker } from './use-api-broker.ts'

const broker = await useApiBroker()
let rig: ApiRig
beforeAll(async () => {
  await broker.createAccount('operator', { tag: 'policymaker' })
  rig = await startApiRig({ ...broker, server: { payloads: { hideFrom: ['operator'] } } })
})
afterAll(() => rig.close())

/** Three of four dead letters were moved. */
async function setup() {
  const own = namePerTry('verify')
  const [dlq, work] = [`${own}.dlq`, `${own}.work`]
  await rig.declareDlq(dlq)
  await rig.declareDlq(work, deadLetterTo(dlq))
  const message = { key: dlq, body: 1, headers: { 'x-original-queue': work } }
  await rig.publish(Array.from({ length: 4 }, (_, at) => ({ ...message, messageId: `m-${at}` })))
  const started = await rig.app.inject({
    method: 'POST',
    url: '/api/v1/redrives',
    headers: broker.headers,
    payload: { queue: dlq, limit: 3 },
  })
  const { id } = started.json<Task>()
  const get = async (url: string) => rig.app.inject({ url, headers: broker.headers })
  await eventually(async () => expect((await get(`/api/v1/tasks/${id}`)).json<Task>().endedAt).not.toBeNull())
  return { dlq, work, receipt: (await get(`/api/v1/tasks/${id}/receipt`)).json<Receipt>() }
}

async function verify(dlq: string, payload: object, headers: { authorization: string } = broker.headers) {
  const url = `/api/v1/dlqs/${dlq}/verify`
  const answer = await rig.app.inject({ method: 'POST', url, headers, payload })
  return { status: answer.statusCode, body: answer.json<Verification & Problem>() }
}

describe('the receipt of a re-drive', () => {
  it('holds where RabbitMQ has what it says, and is broken where it says more', async () => {
    const { dlq, receipt } = await setup()

    const true_ = await verify(dlq, { receipt, includesTargets: true })
    const false_ = await verify(dlq, { receipt: { ...receipt, moved: 4 } })

    expect(true_).toMatchObject({ status: 200, body: { id: receipt.id, queue: dlq, verdict: 'holds' } })
    expect(true_.body.checks.map(({ name }) => name)).toContain('digest')
    expect(false_.body.verdict).toBe('broken')
    expect(await broker.depth(dlq)).toBe(1)
  })

  it('tells nobody by its digest what messages say', async () => {
    const { dlq, receipt } = await setup()

    const { body } = await verify(dlq, { receipt }, broker.as('operator'))

    expect(body.checks.find(({ name }) => name === 'digest')?.verdict).not.toBe('holds')
  })

  it('is checked at live queues for admins alone', async () => {
    const { dlq, receipt } = await setup()

    const { status, body } = await verify(dlq, { receipt, includesTargets: true }, broker.as('operator'))

    expect([status, body.code]).toEqual([403, 'API_FORBIDDEN'])
  })

  it('is refused where it is none, or of another queue', async () => {
    const { dlq, receipt } = await setup()

    const none = await verify(dlq, { receipt: { format: 'other' } })
    const other = await verify(dlq, { receipt: { ...receipt, queue: 'other.dlq' } })

    expect([none.status, none.body.detail]).toEqual([
      400,
      'body.receipt cannot be checked. It is not a receipt of a re-drive.',
    ])
    expect([other.status, other.body.code]).toEqual([400, 'API_REQUEST_INVALID'])
  })
})
