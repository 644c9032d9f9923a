import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Problem, StartPage } from '../../../packages/cli/src/http-api/contract/contract.ts'
import { type ApiRig, startApiRig } from './api-rig.ts'
import { useApiBroker } from './use-api-broker.ts'

const broker = await useApiBroker()
const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
let rig: ApiRig

beforeAll(async () => {
  rig = await startApiRig(broker)
})
afterAll(() => rig.close())

const ask = (accept?: string, method: 'GET' | 'HEAD' = 'GET') =>
  rig.app.inject({ method, url: '/', headers: accept === undefined ? {} : { accept } })

it('a program that knows the address is told what this is and where to go, and each way leads somewhere', async () => {
  const answer = await ask()
  const { name, links } = answer.json<StartPage>()
  const statuses = await Promise.all(
    Object.values(links).map(async (url) => (await rig.app.inject({ url })).statusCode),
  )

  expect(answer.statusCode).toBe(200)
  expect(answer.headers['content-type']).toMatch(/^application\/json/)
  expect(answer.headers.vary).toBe('accept')
  expect(name).toBe('Warren')
  // Who is unknown is asked who they are.
  expect(new Set(statuses)).toEqual(new Set([200, 401]))
})

it('a browser gets a page, with nothing from elsewhere and no script', async () => {
  const answer = await ask(browser)

  expect(answer.statusCode).toBe(200)
  expect(answer.headers['content-type']).toBe('text/html; charset=utf-8')
  expect(answer.headers['content-security-policy']).toContain("default-src 'self'")
  expect(answer.body).toMatch(/^<!doctype html>/)
  expect(answer.body).toContain('<a href="docs">')
  expect(answer.body).not.toMatch(/<script|https?:|\/\/|@import|url\(/)
})

it.each([undefined, browser])(
  'nobody learns of the broker or the server from it (accept: %s)',
  async (accept) => {
    const { body, headers } = await ask(accept)

    const told = body + JSON.stringify({ ...headers, date: '' })
    for (const secret of [rig.consuming.broker.version, broker.vhost, broker.username, '0.0.0-test'])
      expect(told).not.toContain(secret)
    expect(body).not.toMatch(/\d+\.\d+\.\d+/)
  },
)

it.each([undefined, browser])('HEAD tells the same without the page (accept: %s)', async (accept) => {
  const [whole, head] = [await ask(accept), await ask(accept, 'HEAD')]

  expect(head.statusCode).toBe(200)
  expect(head.body).toBe('')
  for (const name of ['content-type', 'content-length', 'content-security-policy', 'etag'])
    expect(head.headers[name], name).toBe(whole.headers[name])
})

it('who wants it in another form is told which there are', async () => {
  const answer = await ask('image/png')

  expect(answer.json<Problem>()).toMatchObject({ status: 406, code: 'API_NOT_ACCEPTABLE' })
  expect(answer.headers['content-type']).toMatch(/^application\/problem\+json/)
})
