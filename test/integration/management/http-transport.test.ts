import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import { createServer as createTlsServer, type ServerOptions } from 'node:https'
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { afterEach, describe, expect, it } from 'vitest'
import {
  type ManagementOptions,
  openManagement,
} from '../../../packages/warrenmq/src/broker/management/open-management.ts'
import { eventually } from '../../support/eventually.ts'
import { createCertificates } from '../../support/node/create-certificates.ts'

const cleanUps: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => sockets.add(socket))
  cleanUps.push(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  return (server.address() as AddressInfo).port
}

function open(url: string, options?: ManagementOptions) {
  const management = openManagement(url, options)
  cleanUps.push(management.close)
  return management
}

async function setup(answer: RequestListener, options?: ManagementOptions) {
  const server = createServer(answer)
  const port = await listen(server)
  return open(`http://jane:s3cret@127.0.0.1:${port}`, options)
}

const user = JSON.stringify({ name: 'jane', tags: ['monitoring'] })

describe('a call', () => {
  it('carries the credentials and asks for JSON', async () => {
    const seen: unknown[] = []
    const management = await setup(({ method, url, headers }, response) => {
      seen.push([method, url, headers.authorization, headers.accept])
      response.end(user)
    })

    await management.whoAmI()

    const credentials = Buffer.from('jane:s3cret').toString('base64')
    expect(seen).toEqual([['GET', '/api/whoami', `Basic ${credentials}`, 'application/json, */*;q=0.1']])
  })

  it('keeps the prefix of the path', async () => {
    const paths: unknown[] = []
    const server = createServer(({ url }, response) => {
      paths.push(url)
      response.end(user)
    })
    const port = await listen(server)

    await open(`http://127.0.0.1:${port}/rabbit/api/`).whoAmI()

    expect(paths).toEqual(['/rabbit/api/whoami'])
  })

  it('uses one connection again', async () => {
    const ports = new Set<unknown>()
    const management = await setup(({ socket }, response) => {
      ports.add(socket.remotePort)
      response.end(user)
    })

    for (let call = 0; call < 5; call++) await management.whoAmI()

    expect(ports.size).toBe(1)
  })

  it('waits its turn beyond the number of requests at once', async () => {
    let most = 0
    const held: ServerResponse[] = []
    const management = await setup(
      (_, response) => {
        most = Math.max(most, held.push(response))
        // Answers are held until three requests are there; a fourth would have the time to come.
        if (held.length >= 3) setImmediate(() => held.splice(0).forEach((each) => void each.end(user)))
      },
      { maxConcurrentRequests: 3 },
    )

    await Promise.all(Array.from({ length: 30 }, () => management.whoAmI()))

    expect(most).toBe(3)
  })

  it('is refused when it takes too long', async () => {
    const management = await setup(() => {}, { timeoutMs: 50 })

    await expect(management.whoAmI()).rejects.toMatchObject({ code: 'MANAGEMENT_TIMEOUT' })
  })

  it('is refused when the answer begins and never ends', async () => {
    const management = await setup((_, response) => void response.write('{'), { timeoutMs: 50 })

    await expect(management.whoAmI()).rejects.toMatchObject({ code: 'MANAGEMENT_TIMEOUT' })
  })

  it('ends with the reason of its signal', async () => {
    const abort = new AbortController()
    const management = await setup(() => abort.abort(new Error('stopped by the user')))

    await expect(management.whoAmI({ signal: abort.signal })).rejects.toThrow('stopped by the user')
  })

  it('without an answer is given up when the client closes, and so is one that waits its turn', async () => {
    const asked: unknown[] = []
    const management = await setup((_, response) => void asked.push(response), { maxConcurrentRequests: 1 })
    const calls = [management.whoAmI(), management.overview()]
    const settled = Promise.allSettled(calls)
    await eventually(() => expect(asked).toHaveLength(1))

    management.close()

    const reasons = (await settled).map((each) => (each as PromiseRejectedResult).reason)
    const closed = { code: 'MANAGEMENT_UNREACHABLE', message: expect.stringContaining('is closed') }
    expect(reasons).toEqual([expect.objectContaining(closed), expect.objectContaining(closed)])
    await expect(management.whoAmI()).rejects.toMatchObject({ code: 'MANAGEMENT_UNREACHABLE' })
    expect(asked).toHaveLength(1)
  })

  it('is given up with the work that asks, while the client goes on for others', async () => {
    const held: ServerResponse[] = []
    const management = await setup((_, response) => void held.push(response))
    const work = new AbortController()
    const call = management.until(work.signal).whoAmI()
    const refused = expect(call).rejects.toThrow('the work is over')
    await eventually(() => expect(held).toHaveLength(1))

    work.abort(new Error('the work is over'))

    await refused
    await expect(management.until(work.signal).whoAmI()).rejects.toThrow('the work is over')
    const other = management.whoAmI()
    await eventually(() => expect(held).toHaveLength(2))
    held[1]!.end(user)
    expect(await other).toMatchObject({ name: 'jane' })
  })

  it('is refused when the answer is too large, without reading it to the end', async () => {
    const management = await setup(
      (_, response) => {
        const chunk = Buffer.alloc(1024, 'x')
        const write = () => {
          while (!response.destroyed && response.write(chunk));
        }
        response.on('drain', write)
        write()
      },
      { maxResponseBytes: 10_000 },
    )

    await expect(management.whoAmI()).rejects.toMatchObject({ code: 'MANAGEMENT_UNEXPECTED_ANSWER' })
  })
})

describe('a reset connection', () => {
  it('is tried once more', async () => {
    let calls = 0
    const management = await setup(({ socket }, response) => {
      if (++calls === 1) socket.resetAndDestroy()
      else response.end(user)
    })

    expect(await management.whoAmI()).toEqual({ name: 'jane', tags: ['monitoring'] })
    expect(calls).toBe(2)
  })

  it('is tried no more than once', async () => {
    let calls = 0
    const management = await setup(({ socket }) => {
      calls++
      socket.resetAndDestroy()
    })

    await expect(management.whoAmI()).rejects.toMatchObject({ code: 'MANAGEMENT_UNREACHABLE' })
    expect(calls).toBe(2)
  })
})

describe('something else at the address', () => {
  it('is named when nothing listens', async () => {
    const server = createTcpServer()
    const port = await listen(server)
    await new Promise((resolve) => server.close(resolve))

    await expect(open(`http://127.0.0.1:${port}`).whoAmI()).rejects.toThrow(
      `Cannot reach the management API at 127.0.0.1:${port}: ECONNREFUSED`,
    )
  })

  it('is named when it is not HTTP, as on the AMQP port', async () => {
    const port = await listen(
      createTcpServer((socket) => socket.on('error', () => {}).end('AMQP\0\0\x09\x01')),
    )

    await expect(open(`http://127.0.0.1:${port}`).whoAmI()).rejects.toMatchObject({
      code: 'MANAGEMENT_UNEXPECTED_ANSWER',
    })
  })

  it('is named when it is another web server', async () => {
    const management = await setup((_, response) => response.end('<html>It works!</html>'))

    await expect(management.whoAmI()).rejects.toThrow("is not RabbitMQ's management API")
  })

  it('is named when its JSON is not that of the API', async () => {
    const management = await setup((_, response) => response.end('{"status":"ok"}'))

    await expect(management.overview()).rejects.toMatchObject({ code: 'MANAGEMENT_UNEXPECTED_ANSWER' })
  })
})

describe('https', () => {
  async function setupTls(options: ServerOptions = {}) {
    const directory = await mkdtemp(join(tmpdir(), 'warren-tls-'))
    cleanUps.push(() => rm(directory, { recursive: true }))
    const certificates = await createCertificates(join(directory, 'tls'))
    const read = (file: string) => readFile(join(directory, 'tls', file))
    const server = createTlsServer(
      { key: await read('server.key'), cert: await read('server.pem'), ca: certificates.ca, ...options },
      (_, response) => response.end(user),
    )
    const port = await listen(server)
    return { url: `https://jane:s3cret@localhost:${port}`, port, certificates }
  }

  it('trusts the CA that it is given', async () => {
    const { url, certificates } = await setupTls()

    expect(await open(url, { tls: { ca: certificates.ca } }).whoAmI()).toMatchObject({ name: 'jane' })
  })

  it('trusts nobody else', async () => {
    const { url } = await setupTls()

    await expect(open(url).whoAmI()).rejects.toThrow('Give the CA that signed its certificate')
  })

  it('shows a client certificate', async () => {
    const { url, certificates } = await setupTls({ requestCert: true, rejectUnauthorized: true })
    const { ca, clientCertificate: cert, clientKey: key } = certificates

    expect(await open(url, { tls: { ca, cert, key } }).whoAmI()).toMatchObject({ name: 'jane' })
    await expect(open(url, { tls: { ca } }).whoAmI()).rejects.toMatchObject({
      code: 'MANAGEMENT_UNREACHABLE',
    })
  })

  it('is told apart from http', async () => {
    const management = await setup((_, response) => response.end(user))
    const plainPort = await listen(createServer((_, response) => response.end(user)))
    const { port } = await setupTls()
    expect(await management.whoAmI()).toMatchObject({ name: 'jane' })

    await expect(open(`https://localhost:${plainPort}`).whoAmI()).rejects.toMatchObject({
      code: 'MANAGEMENT_UNEXPECTED_ANSWER',
    })
    await expect(open(`http://localhost:${port}`).whoAmI()).rejects.toMatchObject({
      code: 'MANAGEMENT_UNREACHABLE',
    })
  })
})

describe('the password', () => {
  it('is not in the client, however it is printed', async () => {
    const management = await setup((_, response) => response.end(user))
    await management.whoAmI()

    const shown =
      inspect(management, { depth: null, showHidden: true, getters: true }) + JSON.stringify(management)

    expect(shown).not.toContain('s3cret')
    expect(shown).not.toContain(Buffer.from('jane:s3cret').toString('base64'))
  })

  it.each<[string, RequestListener]>([
    [
      'refused login',
      (_, response) => response.writeHead(401).end('{"error":"not_authorized","reason":"Login failed"}'),
    ],
    ['reset', ({ socket }) => socket.resetAndDestroy()],
    ['timeout', () => {}],
    ['bad answer', (_, response) => response.end('<html>')],
  ])('is not in the error of a %s', async (_, answer) => {
    const management = await setup(answer, { timeoutMs: 50 })

    const error: unknown = await management.whoAmI().catch((reason: unknown) => reason)

    const shown = inspect(error, { depth: null, showHidden: true })
    expect(error).toBeInstanceOf(Error)
    expect(shown).not.toContain('s3cret')
    expect(shown).not.toContain(Buffer.from('jane:s3cret').toString('base64'))
  })
})
