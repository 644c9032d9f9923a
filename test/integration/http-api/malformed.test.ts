import { once } from 'node:events'
import { connect } from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createToken } from '../../../packages/cli/src/http-api/auth/stored-token.ts'
import type { Problem } from '../../../packages/cli/src/http-api/contract/contract.ts'
import { eventually } from '../../support/eventually.ts'
import { type ApiRig, setUpApi, startApiRig } from './api-rig.ts'
import { useApiBroker } from './use-api-broker.ts'

const broker = await useApiBroker()
// Of keys that are wrong none is waited for, as it is of passwords.
const { token, hash } = createToken()
const server = { auth: { accounts: true, tokens: [{ name: 'raw', role: 'admin', hash }] } }
let rig: ApiRig
let url: string

beforeAll(async () => {
  rig = await startApiRig({ ...broker, server })
  url = await rig.listen()
})
afterAll(() => rig.close())

interface RawAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** What comes back for these bytes until the server ends the connection. */
async function send(bytes: string, address = url): Promise<readonly RawAnswer[]> {
  const socket = connect(Number(new URL(address).port), '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  let text = ''
  socket.setEncoding('latin1').on('data', (piece: string) => {
    text += piece
  })
  socket.write(bytes, 'latin1')
  await once(socket, 'end') // and not 'close', which a reset brings, too
  return splitAnswers(text)
}

/** The same for who says that nothing more comes. */
async function sendAll(bytes: string | Buffer): Promise<readonly RawAnswer[]> {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', allowHalfOpen: true })
  let text = ''
  socket.setEncoding('latin1').on('data', (piece: string) => {
    text += piece
  })
  socket.end(bytes)
  await once(socket, 'end')
  socket.destroy()
  return splitAnswers(text)
}

function splitAnswers(text: string): readonly RawAnswer[] {
  const answers: RawAnswer[] = []
  for (let rest = text; rest !== ''; ) {
    const end = rest.indexOf('\r\n\r\n')
    const [first = '', ...lines] = rest.slice(0, end).split('\r\n')
    const headers = Object.fromEntries(
      lines.map((line) => [
        line.slice(0, line.indexOf(':')).toLowerCase(),
        line.slice(line.indexOf(':') + 1).trim(),
      ]),
    )
    const length = Number(headers['content-length'])
    expect(first).toMatch(/^HTTP\/1\.1 \d{3} /)
    expect(length).toBeGreaterThanOrEqual(0)
    answers.push({
      status: Number(first.split(' ')[1]),
      headers,
      body: rest.slice(end + 4, end + 4 + length),
    })
    rest = rest.slice(end + 4 + length)
  }
  return answers
}

function expectProblem(answer: RawAnswer | undefined, status: number, code: string): Problem {
  expect(answer?.status, answer?.body).toBe(status)
  expect(answer!.headers['content-type']).toMatch(/^application\/problem\+json/)
  expect(answer!.headers['x-content-type-options']).toBe('nosniff')
  expect(answer!.headers['content-security-policy']).toContain('default-src')
  expect(answer!.headers['cache-control']).toBe('no-store')
  const problem = JSON.parse(answer!.body) as Problem
  expect(problem).toMatchObject({ status, code, type: `urn:warren:problem:${code}` })
  expect(problem.title).not.toBe('Refused')
  return problem
}

const host = 'host: 127.0.0.1'
const whole = (first: string, ...headers: readonly string[]) => [first, host, ...headers, '', ''].join('\r\n')
const json = 'content-type: application/json'
const known = `authorization: Bearer ${token}`
const chunked = ['transfer-encoding: chunked', json]
const session = 'POST /api/v1/session HTTP/1.1'

describe('what is no HTTP is answered with a problem, and its connection is ended', () => {
  it.each<readonly [string, string, number]>([
    ['a line of anything', 'hello\r\n\r\n', 400],
    ['a first line without a version', 'GET /\r\n\r\n', 400],
    ['a version that is none', whole('GET / HTTP/9.9'), 400],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
    ['the hello of TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400],
    ['a method that is none', whole('FETCH / HTTP/1.1'), 400],
    ['a header without a colon', whole('GET / HTTP/1.1', 'nothing'), 400],
    ['a header with a space before its colon', whole('GET / HTTP/1.1', 'a : b'), 400],
    ['a header with a control', whole('GET / HTTP/1.1', 'a: b\x01c'), 400],
    ['a header with a bare line feed in it', whole('GET / HTTP/1.1', 'a: b\rc: d'), 400],
    ['a length that is no number', `${whole(session, json, 'content-length: ten')}{}`, 400],
    ['a length below zero', `${whole(session, json, 'content-length: -1')}{}`, 400],
    ['two lengths', `${whole(session, json, 'content-length: 2', 'content-length: 3')}{}`, 400],
    ['a length and pieces', `${whole(session, ...chunked, 'content-length: 2')}0\r\n\r\n`, 400],
    ['a coding that nobody knows', whole(session, json, 'transfer-encoding: cube'), 400],
    ['an address with a space', whole('GET /a b HTTP/1.1'), 400],
    ['headers of 20 KiB', whole('GET / HTTP/1.1', `a: ${'x'.repeat(20 * 1024)}`), 431],
    ['many headers', whole('GET / HTTP/1.1', ...Array.from({ length: 3_000 }, (_, at) => `a${at}: b`)), 431],
    ['an address of 20 KiB', whole(`GET /${'x'.repeat(20 * 1024)} HTTP/1.1`), 414],
    ['no host', 'GET / HTTP/1.1\r\nconnection: close\r\n\r\n', 400],
    ['two hosts', whole('GET / HTTP/1.1', 'host: other', 'connection: close'), 400],
    ['an expectation', whole('GET / HTTP/1.1', 'expect: coffee', 'connection: close'), 417],
  ])('%s', async (_, bytes, status) => {
    const answers = await send(bytes)

    expect(answers).toHaveLength(1)
    expectProblem(answers[0], status, 'API_HTTP_MALFORMED')
    expect(answers[0]!.headers.connection).toBe('close')
  })

  it.each([
    ['a piece whose length is no number', 'zz\r\n{}\r\n0\r\n\r\n'],
    ['a piece that is longer than it says', '1\r\n{}\r\n0\r\n\r\n'],
    ['a piece with endless extensions', `1;${'x'.repeat(40_000)}\r\n{\r\n0\r\n\r\n`],
  ])('a body with %s', async (_, pieces) => {
    const answers = await send(whole(session, ...chunked) + pieces)

    expect(answers).toHaveLength(1)
    expectProblem(answers[0], 400, 'API_HTTP_MALFORMED')
    expect(answers[0]!.headers.connection).toBe('close')
  })

  it('a body that ends before its end', async () => {
    const [answer, ...others] = await sendAll(`${whole(session, json, 'content-length: 100')}{`)

    expectProblem(answer, 400, 'API_HTTP_MALFORMED')
    expect(others).toEqual([])
  })

  it('a head that does not come to its end in time', async () => {
    const slow = await setUpApi(broker)
    const address = await slow.listen()
    slow.app.server.headersTimeout = 500

    const answers = await send('GET / HTTP/1.1\r\nhost: 127', address)

    expect(answers).toHaveLength(1)
    expectProblem(answers[0], 408, 'API_HTTP_MALFORMED')
  }, 30_000)

  it('CONNECT, which makes a tunnel elsewhere', async () => {
    const [answer, ...others] = await send(`CONNECT example.org:443 HTTP/1.1\r\n${host}\r\n\r\n`)

    expectProblem(answer, 405, 'API_METHOD_NOT_ALLOWED')
    expect(answer!.headers).toHaveProperty('allow')
    expect(others).toEqual([])
  })
})

describe('of several requests on one connection', () => {
  const live = whole('GET /api/v1/topology/live HTTP/1.1', known)

  it('those that can be read are answered first, and in their order', async () => {
    const answers = await send(`${live}${whole('GET /nope HTTP/1.1')}${live}hello\r\n\r\n${live}`)

    expect(answers.map(({ status }) => status)).toEqual([200, 404, 200, 400])
    expectProblem(answers[3], 400, 'API_HTTP_MALFORMED')
  })

  it('the one whose body cannot be read is answered once, in its place', async () => {
    const answers = await send(`${live}${whole(session, ...chunked)}zz\r\n${whole('GET / HTTP/1.1')}`)

    expect(answers.map(({ status }) => status)).toEqual([200, 400])
    expectProblem(answers[1], 400, 'API_HTTP_MALFORMED')
  })

  it('one that was answered before its body came is not answered twice', async () => {
    const refused = whole('POST /api/v1/redrives HTTP/1.1', ...chunked)

    const answers = await send(`${refused}5\r\nabcde\r\nzz\r\n`)

    expect(answers.map(({ status }) => status)).toEqual([401])
  })

  it('CONNECT is answered behind the others', async () => {
    const answers = await send(`${live}CONNECT a:1 HTTP/1.1\r\n${host}\r\n\r\n`)

    expect(answers.map(({ status }) => status)).toEqual([200, 405])
  })

  it('what follows behind what is no HTTP is done by nobody', async () => {
    const before = (await rig.app.inject({ url: '/api/v1/audit', headers: broker.headers })).body
    const login = JSON.stringify({ username: broker.username, password: broker.password })

    await send(`hello\r\n\r\n${whole(session, json, `content-length: ${login.length}`)}${login}`)

    expect((await rig.app.inject({ url: '/api/v1/audit', headers: broker.headers })).body).toBe(before)
  })
})

describe('a request that can be read, and is wrong,', () => {
  const ask = async (first: string, ...headers: readonly string[]) =>
    (await send(whole(first, ...headers, 'connection: close')))[0]

  it.each([
    ['an address that cannot be decoded', 'GET /api/v1/dlqs/%zz/causes HTTP/1.1', 400, 'API_REQUEST_INVALID'],
    ['half a character', 'GET /api/v1/dlqs/%c3/causes HTTP/1.1', 400, 'API_REQUEST_INVALID'],
    ['an endless name', `GET /api/v1/dlqs/${'x'.repeat(2_000)}/causes HTTP/1.1`, 414, 'API_REQUEST_INVALID'],
    ['an address that nobody has', 'GET /nope HTTP/1.1', 404, 'API_NOT_FOUND'],
    ['all of the server', 'OPTIONS * HTTP/1.1', 404, 'API_NOT_FOUND'],
    ['a method of WebDAV', 'PROPFIND /api/v1/dlqs HTTP/1.1', 405, 'API_METHOD_NOT_ALLOWED'],
    ['a method for another address', 'DELETE /api/v1/dlqs HTTP/1.1', 405, 'API_METHOD_NOT_ALLOWED'],
    ['TRACE', 'TRACE / HTTP/1.1', 405, 'API_METHOD_NOT_ALLOWED'],
  ])('for %s is a problem', async (_, first, status, code) => {
    expectProblem(await ask(first, known), status, code)
  })

  it.each([
    ['/', 'GET, HEAD'],
    ['/api/v1/dlqs/any.dlq/discard', 'POST'],
    ['/docs/json', 'GET, HEAD'],
  ])('by a method that %s does not take is told which it takes', async (path, allow) => {
    expect((await ask(`PATCH ${path} HTTP/1.1`))?.headers.allow).toBe(allow)
  })

  it('of a type that is not read is told so', async () => {
    expectProblem(
      (await send(`${whole(session, 'content-type: text/xml', 'content-length: 2')}ab${whole('GET /x')}`))[0],
      415,
      'API_REQUEST_INVALID',
    )
  })

  it('of HTTP/1.0 needs no host', async () => {
    expect((await send('GET /healthz HTTP/1.0\r\n\r\n'))[0]).toMatchObject({ status: 200, body: 'alive\n' })
  })
})

it('no malformed request leaves a slot or a connection behind', async () => {
  const count = () =>
    new Promise<number>((resolve) => rig.app.server.getConnections((_, open) => resolve(open)))

  await Promise.all(Array.from({ length: 200 }, () => send(`${whole('GET /nope HTTP/1.1')}hello\r\n\r\n`)))

  await eventually(async () => expect(await count()).toBe(0))
  const metrics = await rig.app.inject({ url: '/metrics', headers: broker.headers })
  expect(metrics.body).toContain('warren_http_requests_under_way 1\n')
})

it('bytes of any kind are answered with what is no fault of the server, and it lives on', async () => {
  const right = Buffer.from(
    [
      whole('GET /nope HTTP/1.1', 'accept: */*'),
      `${whole(session, ...chunked)}2\r\n{}\r\n0\r\n\r\n`,
      `${whole('POST /api/v1/redrives HTTP/1.1', json, known, 'content-length: 2')}{}`,
      whole('GET /api/v1/my/permissions HTTP/1.1', known),
    ].join(''),
  )
  const change = fc.tuple(fc.nat(right.length - 1), fc.nat(255))
  const changes = fc.array(change, { minLength: 1, maxLength: 6 })

  await fc.assert(
    fc.asyncProperty(changes, fc.nat(2 * right.length), async (changed, length) => {
      const bytes = Buffer.from(right)
      for (const [at, byte] of changed) bytes[at] = byte
      for (const answer of await sendAll(bytes.subarray(0, length))) {
        expect(answer.status, answer.body).toBeLessThan(500)
        if (answer.status < 400) continue
        expect(JSON.parse(answer.body)).toMatchObject({ status: answer.status, code: expect.any(String) })
      }
    }),
    { numRuns: 400, seed: 7_919, endOnFailure: true },
  )

  expect((await fetch(`${url}/api/v1/dlqs`, { headers: broker.headers })).status).toBe(200)
})
