import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { signBody } from '../../packages/warrenmq/src/index.ts'
import type { TopologyDeclaration } from '../../packages/warrenmq/src/topology/declaration.ts'
import { createConsumerRig } from '../integration/consumer/consumer-rig.ts'
import { eventually } from '../support/eventually.ts'
import { setupCli } from './cli-rig.ts'
import { useVhost } from './use-vhost.ts'

const main = resolve('packages/cli/dist/main.js')

interface Request {
  readonly method: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** An endpoint that answers as the test says, by the request and how often it came before. */
async function startEndpoint(answer: (body: string, times: number) => number | Promise<number>) {
  const requests: Request[] = []
  const server = createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      const body = Buffer.concat(pieces).toString()
      const times = requests.filter((earlier) => earlier.body === body).length
      requests.push({ method: request.method, headers: request.headers, body })
      void reply(response, answer(body, times))
    })
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  return { url, requests }
}

async function reply(response: ServerResponse, status: number | Promise<number>): Promise<void> {
  response.writeHead(await status).end('said so')
}

/** A topology on a vhost of its own, and `warren deliver` from one of its queues. */
async function setup(declaration: TopologyDeclaration) {
  const broker = await useVhost()
  const rig = await createConsumerRig({ url: broker.url, declaration })
  const folder = mkdtempSync(join(tmpdir(), 'warren-deliver-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const management = Object.assign(new URL(broker.managementUrl), {
    username: broker.username,
    password: broker.password,
  })
  const env = { PATH: process.env.PATH ?? '', AMQP_URL: broker.url, MANAGEMENT_URL: management.href }

  return {
    ...rig,
    writeConfig: () => writeFileSync(join(folder, 'warren.config.json'), JSON.stringify(declaration)),
    deliver: (args: readonly string[], extraEnv: Record<string, string> = {}) => {
      const child = spawn(process.execPath, [main, 'deliver', ...args], {
        cwd: folder,
        env: { ...env, ...extraEnv },
      })
      onTestFinished(() => void child.kill('SIGKILL'))
      return watch(child)
    },
  }
}

function watch(child: ChildProcess) {
  const output = { stdout: '', stderr: '' }
  child.stdout!.on('data', (piece: Buffer) => {
    output.stdout += String(piece)
  })
  child.stderr!.on('data', (piece: Buffer) => {
    output.stderr += String(piece)
  })
  const exited = once(child, 'close').then(([code]) => code as number | null)
  return { output, exited, kill: (signal: NodeJS.Signals) => child.kill(signal) }
}

const linesOf = (text: string) =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>)

const orders: TopologyDeclaration = { queues: { orders: { retry: { delays: [20], maxAttempts: 3 } } } }

describe('warren deliver', () => {
  it('takes each message to its end by the answers of the endpoint, and tells it in JSON lines', async () => {
    const { publisher, deliver, writeConfig, depth, drain } = await setup(orders)
    writeConfig()
    const { url, requests } = await startEndpoint((body, times) => {
      if (body === 'refused') return 400
      return body === 'late' && times < 2 ? 503 : 204
    })
    for (const body of ['fine', 'late', 'refused'])
      await publisher.publish({
        key: 'orders',
        body,
        messageId: `id-${body}`,
        correlationId: 'c1',
        type: 'Order',
      })

    const args = ['--queue', 'orders', '--url', url, '--method', 'PUT', '--header', 'X-Team: a: b']
    const { output, exited, kill } = deliver([...args, '--log-level', 'debug'], { WARREN_SECRET: 'hush' })
    await eventually(() => expect(requests.filter(({ body }) => body === 'late')).toHaveLength(3))
    await eventually(async () => expect(await depth('orders.dlq')).toBe(1))
    await eventually(() => expect(output.stdout.match(/"acknowledge"/g)).toHaveLength(2))
    kill('SIGTERM')

    expect(await exited).toBe(0)
    expect(output.stderr).toBe('')
    expect(await depth('orders')).toBe(0)
    expect(await drain('orders.dlq')).toMatchObject([
      { id: 'id-refused', headers: { 'x-final-status-code': 400, 'x-final-error': 'said so' } },
    ])
    const late = requests.filter(({ body }) => body === 'late')
    expect(late.map(({ headers }) => headers['warren-attempt'])).toEqual(['1', '2', '3'])
    for (const { method, headers, body } of requests) {
      const timestamp = headers['warren-timestamp'] as string
      const signature = `sha256=${signBody({ body: Buffer.from(body), timestamp, secret: 'hush' })}`
      expect({ method, team: headers['x-team'] }).toEqual({ method: 'PUT', team: 'a: b' })
      expect(headers).toMatchObject({ 'warren-routing-key': 'orders', 'warren-signature': signature })
      expect(headers).toMatchObject({ 'warren-message-type': 'Order', 'warren-correlation-id': 'c1' })
    }
    const lines = linesOf(output.stdout)
    expect(lines[0]).toMatchObject({ event: 'consumer.started', queue: 'orders', level: 30 })
    expect(lines.at(-1)).toMatchObject({ event: 'consumer.closed', unfinished: 0 })
    expect(lines.filter(({ outcome }) => outcome === 'retry')).toMatchObject([
      { messageId: 'id-late', attempt: 1, statusCode: 503, correlationId: 'c1' },
      { messageId: 'id-late', attempt: 2, statusCode: 503, correlationId: 'c1' },
    ])
  })

  it('finishes the request under way when it is told to stop, and delivers nothing twice', async () => {
    const { publisher, deliver, writeConfig, depth } = await setup(orders)
    writeConfig()
    let finish = (_: number): void => {}
    const held = new Promise<number>((resolveHeld) => {
      finish = resolveHeld
    })
    const { url, requests } = await startEndpoint(() => held)
    for (const body of ['first', 'second', 'third']) await publisher.publish({ key: 'orders', body })

    const args = ['--queue', 'orders', '--url', url, '--concurrency', '1', '--json']
    const { output, exited, kill } = deliver(args)
    await eventually(() => expect(requests).toHaveLength(1))
    kill('SIGINT')
    // What it had not begun is back before what it had begun is done.
    await eventually(async () => expect(await depth('orders')).toBe(2))
    finish(200)

    expect(await exited).toBe(0)
    expect(JSON.parse(output.stdout)).toEqual({
      queue: 'orders',
      delivered: 1,
      retried: 0,
      deadLettered: 0,
      deferred: 0,
      stale: 0,
      unfinished: 0,
    })
    expect(requests).toHaveLength(1)
    expect(await depth('orders')).toBe(2)
  })

  it('gives a request back that does not end in time, and says so by exit code 3', async () => {
    const { publisher, deliver, writeConfig, depth } = await setup(orders)
    writeConfig()
    const { url, requests } = await startEndpoint(() => new Promise<number>(() => {}))
    await publisher.publish({ key: 'orders', body: 'hangs' })

    const { output, exited, kill } = deliver([
      ...['--queue', 'orders', '--url', url, '--deadline', '50ms', '--json'],
    ])
    await eventually(() => expect(requests).toHaveLength(1))
    kill('SIGTERM')

    expect(await exited).toBe(3)
    expect(JSON.parse(output.stdout)).toMatchObject({ delivered: 0, unfinished: 1 })
    await eventually(async () => expect(await depth('orders')).toBe(1))
  })

  it('reads from the broker how a queue is retried where no config says it', async () => {
    const { publisher, deliver, flow, depth, drain } = await setup({
      layout: 'event-bus',
      queues: { 'wms-orders': { retry: { delays: [20], maxAttempts: 3 } } },
    })
    const { queue, deadLetterQueue } = flow('wms-orders')
    const { url, requests } = await startEndpoint(() => 409)
    await publisher.publish({ key: queue, body: 'x', messageId: 'm1' })

    const { output, exited, kill } = deliver(['--queue', queue, '--url', url, '--preset', 'event-bus'])
    await eventually(async () => expect(await depth(deadLetterQueue!)).toBe(1))
    kill('SIGTERM')

    expect(await exited).toBe(0)
    // The broker knows the delay but not how often a message is tried, so the layout's own ten retries hold.
    expect(requests.map(({ headers }) => headers['warren-attempt'])).toEqual(
      Array.from({ length: 11 }, (_, index) => String(index + 1)),
    )
    expect(linesOf(output.stdout).at(-2)).toMatchObject({
      event: 'delivery.settled',
      code: 'RABBITMQ_MESSAGE_MAX_RETRIES_EXCEEDED',
      statusCode: 409,
    })
    expect(await drain(deadLetterQueue!)).toMatchObject([
      { id: 'm1', headers: { 'x-final-retry-count': 10 } },
    ])
    expect(await depth(queue)).toBe(0)
  })

  it('says what is wrong with its arguments before it takes a message', async () => {
    const broker = await useVhost()
    const { warren } = setupCli(undefined, broker)

    const noUrl = await warren('deliver --queue q')
    const badUrl = await warren('deliver --queue q --url ftp://x')
    const badHeader = await warren('deliver --queue q --url http://x --header nonsense')
    const noQueue = await warren('deliver --queue nowhere --url http://127.0.0.1:1')

    expect(noUrl).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--url') })
    expect(badUrl).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('http:// or https://') })
    expect(badHeader).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('name: value') })
    expect(noQueue).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('no queue "nowhere"') })
  })
})
