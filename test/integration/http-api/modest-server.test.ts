import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { MyPermissions } from '../../../src/http-api/contract.ts'
import { createVhost } from '../../support/use-broker.ts'
import { type ApiRig, startApiRig } from './api-rig.ts'
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
  rig = await startApiRig({ ...broker, managementUrl })
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
})
