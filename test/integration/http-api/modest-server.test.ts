import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type {
  Approval,
  MessageDetail,
  MessagePage,
  MyPermissions,
  OpenedSession,
  Problem,
} from '../../../packages/cli/src/http-api/contract/contract.ts'
import { eventually } from '../../support/eventually.ts'
import { createVhost } from '../../support/use-broker.ts'
import { type ApiRig, startApiRig } from './api-rig.ts'
import { readEvents } from './event-source.ts'
import { useApiBroker } from './use-api-broker.ts'

const broker = await useApiBroker()
const other = await createVhost()
let rig: ApiRig

/** A server whose own account is no administrator, so that RabbitMQ tells it no permissions of others. */
beforeAll(async () => {
  await broker.createAccount('server', { tag: 'monitoring' })
  for (const tag of ['administrator', 'policymaker', 'monitoring', 'management'])
    await broker.createAccount(tag, { tag })
  await broker.createAccount('untagged', { tag: '' })
  await broker.createAccount('of-another-vhost', { tag: 'monitoring', vhost: other.vhost })
  const name = broker.nameOf('server')
  const managementUrl = broker.managementUrl.replace(/\/\/.*@/, `//${name}:${name}@`)
  rig = await startApiRig({ ...broker, managementUrl, server: { approval: { above: 0 } } })
})
afterAll(async () => {
  await rig.close()
  await other.drop()
})

describe('where the account of the server is no administrator', () => {
  it.each([
    ['administrator', 'admin'],
    ['policymaker', 'viewer'],
    ['monitoring', 'viewer'],
    ['management', 'viewer'],
  ])('the account of a %s has the role %s', async (person, role) => {
    const headers = broker.as(person)

    const answer = await rig.app.inject({ url: '/api/v1/my/permissions', headers })
    const list = await rig.app.inject({ url: '/api/v1/dlqs', headers })

    expect([answer.statusCode, list.statusCode], answer.body).toEqual([200, 200])
    expect(answer.json<MyPermissions>().role).toBe(role)
  })

  it.each(['untagged', 'of-another-vhost'])('an account that is %s stays outside', async (person) => {
    const answer = await rig.app.inject({ url: '/api/v1/my/permissions', headers: broker.as(person) })

    expect(answer.statusCode).toBe(401)
  })

  describe('nobody knows which queues a viewer may read in RabbitMQ, so that they see no payload:', () => {
    const queue = 'modest.dlq'
    const secret = 'card-4111-1111'
    beforeAll(async () => {
      await rig.declareDlq(queue)
      const message = { key: queue, messageId: 'm-1', type: 'Paid', headers: { tenant: 'acme' } }
      await rig.publish([{ ...message, body: { card: secret } }])
    })

    const ask = (path: string, headers: Record<string, string> = broker.as('monitoring')) =>
      rig.app.inject({ url: `/api/v1/dlqs/${queue}${path}`, headers })
    const keyFor = async (headers?: Record<string, string>) =>
      (await ask('/messages', headers)).json<MessagePage>().items[0]!.key

    it('they are told that they may not', async () => {
      const mine = await rig.app.inject({ url: '/api/v1/my/permissions', headers: broker.as('monitoring') })

      expect(mine.json<MyPermissions>().permissions).toEqual(['dlq:read', 'topology:read'])
    })

    it('the body of a message is hidden, and its key does not give it away', async () => {
      const key = await keyFor()
      const answer = await ask(`/messages/${key}`)

      const { body, bodyHidden, decoded, headers } = answer.json<MessageDetail>()
      expect(answer.statusCode, answer.body).toBe(200)
      expect([body, decoded, bodyHidden]).toEqual([null, null, 'from-your-role'])
      expect(headers).toContainEqual({ name: 'tenant', type: 'S', value: 'acme' })
      expect(answer.body).not.toContain(secret)
      // A hash of the content would tell who tries bodies until one fits.
      expect(key).not.toBe(await keyFor(broker.as('administrator')))
    })

    it.each(['/messages?where=body.card:card*', '/messages?where=4111', '/causes?groupBy=body.card'])(
      'nobody finds it out by asking %s',
      async (path) => {
        expect((await ask(path)).json<Problem>()).toMatchObject({ status: 403, code: 'API_FORBIDDEN' })
      },
    )

    it('causes are told without it', async () => {
      const answer = await ask('/causes')

      expect(answer.statusCode).toBe(200)
      expect(answer.body).not.toContain(secret)
    })

    it('the same holds for a browser session', async () => {
      const login = { username: broker.nameOf('monitoring'), password: broker.nameOf('monitoring') }
      const session = await rig.app.inject({ method: 'POST', url: '/api/v1/session', payload: login })
      const cookie = String(session.headers['set-cookie']).split(';')[0]!

      const answer = await ask(`/messages/${await keyFor({ cookie })}`, { cookie })

      expect(session.json<OpenedSession>().permissions).not.toContain('payload:read')
      expect(answer.statusCode, answer.body).toBe(200)
      expect(answer.body).not.toContain(secret)
    })

    it('the events of others, who see more, are not theirs', async () => {
      // Reads everything and changes nothing, so that it is a viewer whose permissions are known.
      await broker.createAccount('auditor', { tag: 'administrator' })
      const permissions = `/api/permissions/${broker.vhost}/${broker.nameOf('auditor')}`
      await broker.management('PUT', permissions, { configure: '', write: '', read: '.*' })
      const payload = { queue, where: `body.card:${secret}` }
      const headers = broker.as('administrator')
      const asked = await rig.app.inject({ method: 'POST', url: '/api/v1/redrives', payload, headers })
      const { id } = asked.json<Approval>()
      const url = `${await rig.listen()}/api/v1/events?topics=approvals`
      const watch = async (person: string): Promise<string> => {
        const { events } = await readEvents(url, broker.as(person))
        await eventually(() => expect(JSON.stringify(events)).toContain(id))
        return JSON.stringify(events)
      }

      expect(await watch('auditor')).toContain(secret)
      expect(await watch('monitoring')).not.toContain(secret)
    })

    it('administrators, whose permissions RabbitMQ tells, see it', async () => {
      const headers = broker.as('administrator')

      expect((await ask(`/messages/${await keyFor(headers)}`, headers)).body).toContain(secret)
    })
  })
})
