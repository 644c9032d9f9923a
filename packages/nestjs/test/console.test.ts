import { Body, Controller, Get, type INestApplication, Logger, Post } from '@nestjs/common'
import { Test } from '@nestjs/testing'
import { WarrenModule } from '@warrenmq/nestjs'
import { WarrenConsoleModule, type WarrenConsoleOptions } from '@warrenmq/nestjs/console'
import { WarrenTestingModule } from '@warrenmq/nestjs/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { defineTopology } from 'warrenmq'
import { type EmbeddedBroker, startEmbeddedBroker } from 'warrenmq/testing'
import { placeRequest } from '../src/place-request.ts'

const topology = defineTopology({ queues: { orders: { retry: { delays: ['5s'], maxAttempts: 2 } } } })
const guest = { authorization: `Basic ${Buffer.from('guest:guest').toString('base64')}` }

@Controller()
class OwnRoutes {
  @Get('warrens')
  list() {
    return ['Watership Down']
  }

  @Post('orders')
  place(@Body() order: object) {
    return order
  }
}

async function startBroker(): Promise<EmbeddedBroker> {
  const broker = await startEmbeddedBroker()
  onTestFinished(() => broker.stop())
  return broker
}

function compile(
  { url, managementUrl }: EmbeddedBroker,
  options: WarrenConsoleOptions,
  testing: object[] = [],
) {
  Logger.overrideLogger(false)
  return Test.createTestingModule({
    imports: [
      WarrenModule.forRoot({ url, managementUrl, topology }),
      WarrenConsoleModule.forRoot(options),
      ...(testing as []),
    ],
    controllers: [OwnRoutes],
  }).compile()
}

async function listen(app: INestApplication): Promise<string> {
  onTestFinished(() => app.close())
  await app.listen(0, '127.0.0.1')
  return app.getUrl()
}

describe('the console of an application', () => {
  it('is below its path, with its API, and leaves all else to the application', async () => {
    const module = await compile(await startBroker(), {})
    const app = module.createNestApplication()
    const url = await listen(app)
    const ask = (path: string, init: RequestInit = {}) =>
      fetch(`${url}${path}`, { redirect: 'manual', ...init })

    const first = await ask('/warren')
    expect([first.status, first.headers.get('location')]).toEqual([302, '/warren/console/'])
    const page = await ask('/warren/console/queues/orders.dlq')
    expect(page.status).toBe(200)
    expect(await page.text()).toContain('<base href="../" />')

    expect((await ask('/warren/api/v1/dlqs')).status).toBe(401)
    const queues = await ask('/warren/api/v1/dlqs', { headers: guest })
    expect(JSON.stringify(await queues.json())).toContain('orders.dlq')
    const login = await ask('/warren/api/v1/session', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: 'guest', password: 'guest' }),
    })
    expect(login.status).toBe(201)

    expect(await (await ask('/warrens')).json()).toEqual(['Watership Down'])
    const placed = await ask('/orders', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"id":42}',
    })
    expect(await placed.json()).toEqual({ id: 42 })
  })

  it('lets the application close while a page of it listens to events', async () => {
    const module = await compile(await startBroker(), { path: '/internal/warren' })
    const app = module.createNestApplication()
    const url = await listen(app)

    const events = await fetch(`${url}/internal/warren/api/v1/events`, { headers: guest })
    expect(events.headers.get('content-type')).toContain('text/event-stream')
    const ended = events.text().catch(() => 'cut')
    await app.close()

    expect(await ended).toBeTypeOf('string')
    await expect(fetch(`${url}/warrens`)).rejects.toThrow('fetch failed')
  })

  it('does not let in everybody who reaches the application', async () => {
    const module = await compile(await startBroker(), { server: { auth: 'none' } })
    const app = module.createNestApplication()
    onTestFinished(() => app.close())
    await expect(app.init()).rejects.toThrow("With auth: 'none', anybody who reaches your server")
  })

  it('is left out in tests on the embedded broker, and without a server', async () => {
    const broker = await startBroker()
    const module = await compile(broker, {}, [WarrenTestingModule.forRoot()])
    const url = await listen(module.createNestApplication())
    expect((await fetch(`${url}/warren`)).status).toBe(404)

    const context = await compile(broker, {})
    onTestFinished(() => context.close())
    await context.init()
  })

  it('is refused at an invalid path', () => {
    expect(() => WarrenConsoleModule.forRoot({ path: 'warren/' })).toThrow(
      "path of WarrenConsoleModule.forRoot() is 'warren/'; it must begin with a slash",
    )
  })
})

it.each([
  ['/warren', { kind: 'first-page', location: '/warren/console/' }],
  ['/warren/', { kind: 'first-page', location: '/warren/console/' }],
  ['/warren?x=1', { kind: 'first-page', location: '/warren/console/' }],
  ['/warren/api/v1/dlqs?limit=1', { kind: 'console', url: '/api/v1/dlqs?limit=1' }],
  ['/warren//evil.example', { kind: 'console', url: '//evil.example' }],
  ['/warrens', { kind: 'elsewhere' }],
  ['/warren.txt', { kind: 'elsewhere' }],
  ['/orders/warren', { kind: 'elsewhere' }],
])('a request for %s', (url, place) => {
  expect(placeRequest(url, '/warren')).toEqual(place)
})
