import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { MessagePage, Problem } from '../../../packages/cli/src/http-api/contract/contract.ts'
import { type ApiRig, startApiRig } from './api-rig.ts'
import { useApiBroker } from './use-api-broker.ts'

const broker = await useApiBroker()
const { headers } = broker
let shared: ApiRig
beforeAll(async () => {
  shared = await startApiRig(broker)
})
afterAll(() => shared.close())

describe('a name in a path', () => {
  const names = [
    'a/b.dlq',
    '../../overview.dlq',
    'ü ß 😀.dlq',
    'a%2Fb.dlq',
    'a?b#c.dlq',
    'a\u0000b.dlq',
    "';--.dlq",
  ]

  it.each(names)('is a name and nothing else: %j', async (queue) => {
    await shared.declareDlq(queue)
    await shared.publish([{ key: queue, body: 1 }])
    const path = `/api/v1/dlqs/${encodeURIComponent(queue)}`

    const page = await shared.app.inject({ url: `${path}/messages`, headers })
    const causes = await shared.app.inject({ url: `${path}/causes`, headers })
    const history = await shared.app.inject({ url: `${path}/history`, headers })
    const backup = await shared.app.inject({ url: `${path}/backup`, headers })

    expect(page.json<MessagePage>()).toMatchObject({ queue, present: 1 })
    expect([causes, history, backup].map(({ statusCode }) => statusCode)).toEqual([200, 200, 200])
    expect(String(backup.headers['content-disposition'])).not.toMatch(/[\r\n]/)
  })

  it.each([
    ['..', 404],
    ['%2e%2e', 404],
    ['%ED%A0%80', 400],
    ['%zz', 400],
    ['%ff', 400],
  ])('that can be none is refused: %s', async (name, status) => {
    const answer = await shared.app.inject({ url: `/api/v1/dlqs/${name}/messages`, headers })

    expect(answer.statusCode, answer.body).toBe(status)
  })

  it('of more bytes than RabbitMQ has for one is refused', async () => {
    const name = 'ü'.repeat(200)
    const payload = { queue: name }

    const inPath = await shared.app.inject({
      url: `/api/v1/dlqs/${encodeURIComponent(name)}/messages`,
      headers,
    })
    const inBody = await shared.app.inject({ method: 'POST', url: '/api/v1/redrives', headers, payload })

    expect([inPath, inBody].map(({ statusCode }) => statusCode)).toEqual([400, 400])
    expect(inBody.json<Problem>().detail).toMatch(/more than 255 bytes/)
  })

  it('leads nowhere but to its route, however it is written', async () => {
    const paths = ['//api/v1/dlqs', '/api/v1/dlqs/', '/API/v1/dlqs', '/api/v1/dlqs;x', '/docs/../api']

    const answers = await Promise.all(paths.map((url) => shared.app.inject({ url })))

    for (const { statusCode } of answers) expect([401, 404]).toContain(statusCode)
  })
})
