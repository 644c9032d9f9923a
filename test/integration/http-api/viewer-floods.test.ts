import { expect, it } from 'vitest'
import type { AuditPage, Problem } from '../../../packages/cli/src/http-api/contract/contract.ts'
import { namePerTry } from '../../support/name-per-try.ts'
import { type ApiRig, setUpApi } from './api-rig.ts'
import { useApiBroker } from './use-api-broker.ts'

const broker = await useApiBroker()
const { headers } = broker
const viewerChanges = 20

async function setup(name: string, changes = viewerChanges) {
  const rig = await setUpApi({ ...broker, server: { limits: { viewerChanges: changes } } })
  const queue = `${namePerTry(name)}.dlq`
  await rig.declareDlq(queue)
  const [vic, val] = [namePerTry(`${name}-vic`), namePerTry(`${name}-val`)]
  for (const person of [vic, val]) await broker.createAccount(person, { tag: 'monitoring' })
  return { rig, queue, vic, val }
}

const times = <Result>(count: number, work: (at: number) => Promise<Result>): Promise<Result[]> =>
  Promise.all(Array.from({ length: count }, (_, at) => work(at)))

async function recordsOf({ app }: ApiRig, person: string): Promise<AuditPage['items']> {
  const url = `/api/v1/audit?by=${encodeURIComponent(broker.nameOf(person))}&limit=500`
  return (await app.inject({ url, headers })).json<AuditPage>().items
}

it('a viewer who asks for what they may not do fills no log, and stands in nobody’s way', async () => {
  const { rig, queue, vic, val } = await setup('refused')
  const redrive = (person: string) =>
    rig.app.inject({
      method: 'POST',
      url: '/api/v1/redrives',
      headers: broker.as(person),
      payload: { queue },
    })

  const refused = await times(100, () => redrive(vic))
  const other = await redrive(val)
  const look = await rig.app.inject({ url: '/api/v1/dlqs', headers: broker.as(vic) })

  const statuses = refused.map(({ statusCode }) => statusCode)
  expect(new Set(statuses)).toEqual(new Set([403, 429]))
  const slowed = refused.find(({ statusCode }) => statusCode === 429)!
  expect(slowed.json<Problem>().code).toBe('API_TOO_MANY_ATTEMPTS')
  expect(Number(slowed.headers['retry-after'])).toBeGreaterThan(0)
  const records = await recordsOf(rig, vic)
  expect(records).toHaveLength(statuses.filter((status) => status === 403).length)
  expect([other.statusCode, look.statusCode]).toEqual([403, 200])
})

it('a viewer who logs in again and again, or makes snapshots with ever new keys, fills neither log nor notices', async () => {
  const { rig, queue, vic, val } = await setup('logins')
  const logIn = (person: string) => {
    const name = broker.nameOf(person)
    const payload = { username: name, password: name }
    return rig.app.inject({ method: 'POST', url: '/api/v1/session', payload })
  }
  const snapshot = (at: number) =>
    rig.app.inject({
      method: 'POST',
      url: `/api/v1/dlqs/${queue}/snapshots`,
      payload: {},
      headers: { ...broker.as(val), 'idempotency-key': `flood-${at}` },
    })

  const logins = []
  for (let at = 0; at < 60; at += 1) logins.push(await logIn(vic)) // strangers may not send so many at once
  const snapshots = await times(60, snapshot)

  const statusesOf = (answers: readonly { readonly statusCode: number }[]) =>
    new Set(answers.map(({ statusCode }) => statusCode))
  expect(statusesOf(logins)).toEqual(new Set([201, 429]))
  expect(statusesOf(snapshots)).toContain(429)
  expect(await recordsOf(rig, vic)).toHaveLength(logins.filter(({ statusCode }) => statusCode === 201).length)
  expect((await recordsOf(rig, val)).length).toBeLessThanOrEqual(60)
})

it('a viewer who has logged in can log out, however much they asked for', async () => {
  const { rig, queue, vic } = await setup('out', 1)
  const name = broker.nameOf(vic)
  const opened = await rig.app.inject({
    method: 'POST',
    url: '/api/v1/session',
    payload: { username: name, password: name },
  })
  const cookie = String(opened.headers['set-cookie']).split(';')[0]!
  const session = { cookie, 'x-csrf-token': opened.json<{ csrfToken: string }>().csrfToken }
  const more = await rig.app.inject({
    method: 'POST',
    url: '/api/v1/redrives',
    headers: session,
    payload: { queue },
  })

  const out = await rig.app.inject({ method: 'DELETE', url: '/api/v1/session', headers: session })

  expect([opened.statusCode, more.statusCode, out.statusCode]).toEqual([201, 429, 204])
})
