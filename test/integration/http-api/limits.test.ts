import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { AuditPage, Problem } from '../../../packages/cli/src/http-api/contract/contract.ts'
import { eventually } from '../../support/eventually.ts'
import { setUpApi } from './api-rig.ts'
import { useApiBroker } from './use-api-broker.ts'

const broker = await useApiBroker()
const { headers } = broker

/** What comes back for bytes that no HTTP client would send. */
async function sendRaw(url: string, text: string): Promise<string> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    let answer = ''
    const socket = connect(Number(port), hostname, () => socket.write(text))
    socket.on('data', (piece) => {
      answer += String(piece)
    })
    socket.on('close', () => resolve(answer))
    socket.on('error', reject)
  })
}

describe('a request that is too large', () => {
  it('in its body is refused, and nothing of it is done', async () => {
    const rig = await setUpApi({ ...broker, server: { limits: { bodyBytes: 1024 } } })
    const payload = { queue: 'any.dlq', reason: 'x'.repeat(2_000) }

    const answer = await rig.app.inject({ method: 'POST', url: '/api/v1/redrives', headers, payload })

    expect(answer.statusCode).toBe(413)
    expect(answer.json<Problem>()).toMatchObject({ code: 'API_REQUEST_INVALID', status: 413 })
  })

  it('in its headers is refused over a real socket', async () => {
    const url = await (await setUpApi(broker)).listen()

    const answer = await sendRaw(url, `GET /healthz HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`)

    expect(answer).toMatch(/^HTTP\/1\.1 431 /)
  })

  it('in its query or its path is refused', async () => {
    const rig = await setUpApi(broker)
    const long = 'x'.repeat(3_000)

    const query = await rig.app.inject({ url: `/api/v1/dlqs/a/messages?where=${long}`, headers })
    const path = await rig.app.inject({ url: `/api/v1/dlqs/${long}/messages`, headers })

    expect([query.statusCode, path.statusCode]).toEqual([400, 414])
  })
})

it('what is no HTTP is answered with a refusal and cut off', async () => {
  const url = await (await setUpApi(broker)).listen()

  const answer = await sendRaw(url, 'AMQP\u0000\u0000\u0009\u0001 nonsense\r\n\r\n')

  expect(answer).toMatch(/^HTTP\/1\.1 400 /)
})

it('a connection on which nobody asks for anything does not hold up a server that is told to stop', async () => {
  const rig = await setUpApi(broker)
  const { hostname, port } = new URL(await rig.listen())
  const socket = connect(Number(port), hostname)
  await new Promise((resolve) => socket.once('connect', resolve))
  const cut = new Promise((resolve) => socket.once('close', resolve))

  let isClosed = false
  void rig.app.close().then(() => {
    isClosed = true
  })

  // Less than what an HTTP server waits for the first words of a client.
  await eventually(() => expect(isClosed).toBe(true), { timeoutMs: 20_000 })
  await cut
})

it('a server that is told to stop has as long as its tasks need, which may be longer than a plugin may take', async () => {
  const rig = await setUpApi(broker)

  expect(rig.app.initialConfig.pluginTimeout).toBe(0)
})

describe('more requests at once than there may be', () => {
  it('are told to come again, over real sockets, and then are served', async () => {
    const rig = await setUpApi({ ...broker, server: { limits: { requests: 2 } } })
    const url = await rig.listen()
    const ask = () => fetch(`${url}/api/v1/topology/live`, { headers })

    const answers = await Promise.all(Array.from({ length: 12 }, ask))
    const statuses = answers.map(({ status }) => status)
    const busy = answers.find(({ status }) => status === 503)!
    const later = await ask()

    expect(statuses).toContain(200)
    expect(new Set(statuses)).toEqual(new Set([200, 503]))
    expect(busy.headers.get('retry-after')).toBe('1')
    expect(((await busy.json()) as Problem).code).toBe('API_BUSY')
    expect(later.status).toBe(200)
  })
})

it('a server that can serve nobody lives and is not ready, until it can again', async () => {
  const limits = { requests: 1, bodyTimeout: '5m' }
  const rig = await setUpApi({ ...broker, server: { limits } })
  const url = await rig.listen()
  const hold = connect(Number(new URL(url).port), '127.0.0.1')
  onTestFinished(() => void hold.destroy())
  const held = ['POST /api/v1/redrives HTTP/1.1', 'host: x', `authorization: ${headers.authorization}`]
  hold.write([...held, 'content-type: application/json', 'content-length: 10', '', '{'].join('\r\n'))
  const isReady = async () => (await fetch(`${url}/readyz`)).status

  await eventually(async () => expect((await fetch(`${url}/api/v1/dlqs`, { headers })).status).toBe(503))
  await eventually(async () => expect(await isReady()).toBe(503))
  const isAlive = await fetch(`${url}/healthz`)
  hold.destroy()
  await eventually(async () => expect(await isReady()).toBe(200))

  expect(isAlive.status).toBe(200)
})

describe('a body', () => {
  /** A request whose body is sent piece by piece, and what is answered. */
  async function send(url: string, path: string, more: readonly string[] = [], bytes = 1_000) {
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    socket.on('error', () => {}) // it may be cut off at any moment
    let answer = ''
    socket.on('data', (piece) => {
      answer += String(piece)
    })
    const lines = [`POST ${path} HTTP/1.1`, 'host: x', `content-length: ${bytes}`, ...more, '', '']
    socket.write(lines.join('\r\n'))
    return Object.assign(socket, { answered: () => answer })
  }
  const upload = [`authorization: ${headers.authorization}`, 'content-type: application/gzip']

  it('of an upload may take longer than others, for as long as it comes', async () => {
    const rig = await setUpApi({ ...broker, server: { limits: { bodyTimeout: '2s' } } })
    const socket = await send(await rig.listen(), '/api/v1/restores', upload)

    let sent = 0
    await new Promise<void>((resolve) => {
      const timer = setInterval(() => {
        socket.write(Buffer.alloc(40))
        sent += 40
        if (sent < 1_000) return
        clearInterval(timer)
        resolve()
      }, 100)
      socket.once('close', () => {
        clearInterval(timer)
        resolve()
      })
    })
    await eventually(() => expect(socket.answered()).not.toBe(''))

    expect(rig.app.server).toMatchObject({ requestTimeout: 0, headersTimeout: 60_000 })
    expect(socket.answered()).toMatch(/^HTTP\/1\.1 400 /) // all of it came, and it is no backup
  })

  it('of an upload that is too large is taken off the connection, so that its sender comes to read why', async () => {
    const rig = await setUpApi({ ...broker, server: { limits: { uploadBytes: 2_000 } } })
    const bytes = 32 * 1024 * 1024 // more than any buffer on the way
    const socket = await send(await rig.listen(), '/api/v1/restores', upload, bytes)

    const error = await new Promise((resolve) => socket.write(Buffer.alloc(bytes), resolve))
    await eventually(() => expect(socket.answered()).not.toBe(''))

    expect(error).toBeFalsy()
    expect(socket.answered()).toMatch(/^HTTP\/1\.1 413 /)
  })

  it('of an upload that stalls is given up', async () => {
    const rig = await setUpApi({ ...broker, server: { limits: { bodyTimeout: '100ms' } } })
    const socket = await send(await rig.listen(), '/api/v1/restores', upload)

    await once(socket, 'close')

    expect(socket.answered()).toMatch(/^HTTP\/1\.1 408 /)
  })

  it.each(['/api/v1/redrives', '/nowhere'])(
    'that is not waited for holds no connection for ever: %s',
    async (path) => {
      const rig = await setUpApi({ ...broker, server: { limits: { bodyTimeout: '100ms' } } })
      const socket = await send(await rig.listen(), path)

      await once(socket, 'close')

      expect(socket.answered()).toMatch(/^HTTP\/1\.1 40[14] /)
    },
  )
})

describe('behind a proxy', () => {
  const forwarded = { 'x-forwarded-for': '203.0.113.9', 'x-forwarded-proto': 'https' }
  const payload = { username: broker.username, password: broker.password }

  async function logInThrough(remoteAddress: string) {
    const rig = await setUpApi({ ...broker, server: { trustProxy: ['10.1.0.0/16'] } })
    const answer = await rig.app.inject({
      method: 'POST',
      url: '/api/v1/session',
      headers: forwarded,
      payload,
      remoteAddress,
    })
    const audit = await rig.app.inject({ url: '/api/v1/audit', headers })
    const opened = audit.json<AuditPage>().items.find(({ action }) => action === 'session.open')
    return { cookie: String(answer.headers['set-cookie']), from: opened?.from }
  }

  it('that is trusted the client is who the proxy says, and its cookie needs TLS', async () => {
    const { cookie, from } = await logInThrough('10.1.2.3')

    expect(from).toBe('203.0.113.9')
    expect(cookie).toMatch(/; Secure/)
  })

  it('that nobody trusts the client is the proxy itself, whatever it says', async () => {
    const { cookie, from } = await logInThrough('10.2.2.3')

    expect(from).toBe('10.2.2.3')
    expect(cookie).not.toMatch(/; Secure/)
  })

  it('a client that makes up forwarded addresses is counted by the address the proxy saw', async () => {
    const rig = await setUpApi({ ...broker, server: { trustProxy: ['10.1.0.0/16'] } })
    const guess = (at: number) =>
      rig.app.inject({
        url: '/api/v1/dlqs',
        remoteAddress: '10.1.2.3',
        headers: {
          authorization: `Bearer warren_nobody-${at}`,
          'x-forwarded-for': `198.51.100.${at}, 203.0.113.77`,
        },
      })

    const statuses: number[] = []
    for (let at = 0; at < 11; at += 1) statuses.push((await guess(at)).statusCode)

    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429])
  })
})
