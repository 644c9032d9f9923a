import { readdirSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import { type ApiRig, setUpApi, startApiRig } from './api-rig.ts'
import { tellProgress } from './tell-progress.ts'
import { useApiBroker } from './use-api-broker.ts'

const broker = await useApiBroker()
const { headers } = broker
const { authorization } = headers

/** What the server writes of its own faults: those that are a problem of somebody else have no `err`. */
const faults: string[] = []
const logger = {
  level: 'error',
  stream: { write: (line: string) => void (line.includes('"err":') && faults.push(line)) },
}
let rig: ApiRig
let url: string
beforeAll(async () => {
  rig = await startApiRig({ ...broker, logger })
  url = await rig.listen()
})
afterAll(() => rig.close())

function head(method: string, path: string, more: readonly string[] = []): string {
  return [`${method} ${path} HTTP/1.1`, 'host: 127.0.0.1', ...more, '', ''].join('\r\n')
}

/** Requests that have a slot, less the one that asks. */
async function slotsTaken(): Promise<number> {
  const answer = await fetch(`${url}/metrics`, { headers })
  expect(answer.status).toBe(200)
  const [, count] = /^warren_http_requests_under_way (\d+)$/m.exec(await answer.text()) ?? []
  return Number(count) - 1
}

const halfBody = ['content-type: application/json', 'content-length: 100']
const events = '/api/v1/tasks/6af5e5ab-0f4b-4e4f-b335-caa7ada44528/events'

/** What is sent before the connection is reset: more than is answered, or less than was announced. */
const attacks: readonly string[] = [
  head('GET', '/nope').repeat(30),
  head('GET', '/nope').repeat(600),
  `${head('POST', '/api/v1/session', halfBody)}{`,
  head('GET', '/api/v1/dlqs', [`authorization: ${authorization}`]).repeat(10),
  `${head('GET', '/docs/json').repeat(5)}${head('POST', '/api/v1/session', halfBody)}{`,
  `${head('POST', '/api/v1/redrives', [...halfBody, `authorization: ${authorization}`])}{`,
  head('GET', events, [`authorization: ${authorization}`]).repeat(3),
  'GET /nope HTTP/1.1\r\nhost: 127.0',
]

/** One connection that asks and is reset: at once, when it has written, or when the first answer comes. */
function attack(at: number): Promise<void> {
  const { port } = new URL(url)
  // Most are short, so that ten thousand take a minute and not an hour.
  const text = attacks[at < 400 ? at % attacks.length : [0, 2, 5, 7][at % 4]!]!
  return new Promise((resolve) => {
    const socket: Socket = connect(Number(port), '127.0.0.1', () => {
      const reset = () => void socket.resetAndDestroy()
      if (at % 3 === 0) socket.once('data', reset)
      socket.write(text, at % 3 === 1 ? reset : undefined)
      if (at % 3 === 2) setImmediate(reset)
      // Of half a request nothing is answered.
      if (at % 3 === 0 && !text.startsWith('GET /nope HTTP/1.1\r\nhost: 127.0.0.1')) setTimeout(reset, 5)
    })
    socket.on('error', () => {})
    socket.once('close', () => resolve())
  })
}

/** WARREN_HOSTILE_CONNECTIONS=100000 for as many as somebody could wish. */
const connections = Number(process.env.WARREN_HOSTILE_CONNECTIONS ?? 10_000)

describe('connections that ask and are reset', () => {
  it(
    'leave no slot, no file descriptor and no fault in the log behind, however many there are',
    async () => {
      await attack(0)
      await eventually(async () => expect(await slotsTaken()).toBe(0))
      const before = readdirSync('/dev/fd').length

      const tell = tellProgress('hostile connections', connections)
      let [next, done] = [0, 0]
      const attacker = async (): Promise<void> => {
        while (next < connections) {
          await attack(next++)
          tell(++done)
        }
      }
      await Promise.all(Array.from({ length: 50 }, attacker))

      await eventually(async () => expect(await slotsTaken()).toBe(0))
      await eventually(() => expect(readdirSync('/dev/fd').length).toBeLessThanOrEqual(before + 5))
      expect((await fetch(`${url}/api/v1/dlqs`, { headers })).status).toBe(200)
      expect((await fetch(`${url}/readyz`)).status).toBe(200)
      expect(faults).toEqual([])
    },
    60_000 + connections * 60,
  )
})

it('strangers who ask for much and read nothing leave room for who shows credentials', async () => {
  const few = await setUpApi({ ...broker, server: { limits: { requests: 20 } } })
  const { port, href } = new URL(await few.listen())
  const sockets = Array.from({ length: 60 }, () => {
    const socket = connect(Number(port), '127.0.0.1').on('error', () => {})
    onTestFinished(() => void socket.destroy())
    // More than any buffer on the way holds.
    socket.pause().write(head('GET', '/docs/static/swagger-ui-bundle.js').repeat(10))
    return socket
  })
  const ask = async (path: string, more = {}) => (await fetch(new URL(path, href), more)).status

  await eventually(async () => expect(await ask('/docs/json')).toBe(503))
  const known = await ask('/api/v1/dlqs', { headers })
  for (const socket of sockets) socket.destroy()
  await eventually(async () => expect(await ask('/docs/json')).toBe(200))

  expect(known).toBe(200)
})

/** More than any buffer on the way holds of a few. */
const page = '/docs/static/swagger-ui-bundle.js'

describe.each([
  ['a key that is none', 'authorization: Bearer junk'],
  ['a session that is none', 'cookie: warren_session=junk'],
])('strangers who read nothing and show %s', (_, credentials) => {
  it.each([
    ['pages', page],
    ['refusals behind a page', '/api/v1/dlqs'],
    ['pages that are not there, behind one', '/nope'],
  ])('leave room for who is known: %s', async (_title, path) => {
    // More than all of them ask for at once, and less than what they leave unread.
    const few = await setUpApi({ ...broker, server: { limits: { requests: 60 } } })
    const { port, href } = new URL(await few.listen())
    const sockets = Array.from({ length: 12 }, () => {
      const socket = connect(Number(port), '127.0.0.1').on('error', () => {})
      onTestFinished(() => void socket.destroy())
      return socket.pause()
    })
    const statuses = new Set<number>()

    // What has room in buffers comes to its end, so they ask until nothing has.
    for (let wave = 0; wave < 10; wave += 1) {
      const request = wave < 4 ? head('GET', page) : head('GET', path, [credentials]).repeat(3)
      for (const socket of sockets) socket.write(request)
      statuses.add((await fetch(new URL('/api/v1/dlqs', href), { headers })).status)
    }

    expect([...statuses]).toEqual([200])
  })
})

it('a connection with more unanswered requests than anybody needs is told to come again, and ended', async () => {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  let answer = ''
  socket.on('data', (piece) => {
    answer += String(piece)
  })

  // All of them wait for RabbitMQ, so that none is answered before the last is read.
  socket.write(head('GET', '/api/v1/topology/live', [`authorization: ${authorization}`]).repeat(40))
  await new Promise((resolve) => socket.once('close', resolve))

  expect(answer.match(/HTTP\/1\.1 200 /g)?.length).toBeGreaterThanOrEqual(20)
  expect(answer).toContain('HTTP/1.1 503 ')
  expect(answer).toContain('connection: close')
})

it('logins that never come to their end hold up no other one, also from the same address', async () => {
  const few = await setUpApi({ ...broker, server: { limits: { bodyTimeout: '5m' } } })
  const address = await few.listen()
  let told = 0
  for (let at = 0; at < 150; at += 1) {
    const socket = connect(Number(new URL(address).port), '127.0.0.1').on('error', () => {})
    onTestFinished(() => void socket.destroy())
    socket.once('data', () => {
      told += 1
    })
    socket.write(`${head('POST', '/api/v1/session', halfBody)}{`)
  }
  // Those that were given up for newer ones: an address has 20.
  await eventually(() => expect(told).toBe(130))

  const { username, password } = broker
  const answer = await fetch(`${address}/api/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username, password }),
  })

  expect(answer.status, await answer.text()).toBe(201)
})
