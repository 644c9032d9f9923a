import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import amqplib from 'amqplib'
import { expect, it, onTestFinished } from 'vitest'
import { setupCli, startCommand } from './cli-rig.ts'

interface Announcement {
  readonly url: string
  readonly managementUrl: string
  readonly version: string
}

/** Runs `warren broker` until the test is done. */
function startBroker(args: readonly string[] = []) {
  return startCommand<Announcement>(['broker', '--port', '0', '--management-port', '0', ...args])
}

function writeFile(name: string, content: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'warren-broker-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, name), content)
  return join(folder, name)
}

it('a broker that was started by the command serves clients until Ctrl-C, and says goodbye to them', async () => {
  const { child, said, log } = await startBroker(['--profile', '4.0'])
  const connection = await amqplib.connect(said.url)
  const goodbye = once(connection, 'close')
  connection.on('error', () => undefined)
  const channel = await connection.createConfirmChannel()
  await channel.assertQueue('orders')
  channel.sendToQueue('orders', Buffer.from('hello'))
  await channel.waitForConfirms()
  const message = await channel.get('orders')

  const exited = once(child, 'exit')
  child.kill('SIGINT')

  expect(message && String(message.content)).toBe('hello')
  expect(String((await goodbye)[0])).toContain('CONNECTION_FORCED')
  expect(await exited).toEqual([0, null])
  expect(said.version).toMatch(/^4\.0\./)
  expect(log()).toContain(`AMQP      ${said.url}`)
  expect(log()).toContain('stores nothing. Press Ctrl-C to stop.')
  expect(log()).toContain('Stopped.')
})

it('a broker starts with what a definitions file holds, as `warren export` writes it', async () => {
  const rig = setupCli({ queues: { orders: { retry: { delays: ['5s'] } } } })
  const { stdout } = await rig.warren('export')
  const { said } = await startBroker(['--definitions', writeFile('definitions.json', stdout)])

  const connection = await amqplib.connect(said.url)
  const channel = await connection.createChannel()
  const { messageCount } = await channel.checkQueue('orders')
  const { username, password } = new URL(said.managementUrl)
  const answer = await fetch(
    new URL('/api/queues', said.managementUrl.replace(`${username}:${password}@`, '')),
    {
      headers: { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` },
    },
  )
  const queues = (await answer.json()) as { name: string }[]
  await connection.close()

  expect(messageCount).toBe(0)
  expect(queues.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['orders', expect.stringMatching(/dlq/)]),
  )
})

it('a port that another program has is named, and the command fails', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void other.close())
  await once(other, 'listening')
  const { port } = other.address() as { port: number }

  const ended = await setupCli().warren(`broker --port ${port} --management-port 0`)

  expect(ended.exitCode).toBe(1)
  expect(ended.stderr).toContain(
    `cannot listen on port ${port}. Another program uses it, perhaps a RabbitMQ.`,
  )
})

it.each([
  ['that is not there', 'missing.json', undefined, 'missing.json cannot be read'],
  ['that is no JSON', 'broken.json', '{ "queues": ', 'broken.json is not JSON'],
  ['that is no object', 'list.json', '[]', 'they are not an object'],
  [
    'with a queue that RabbitMQ refuses',
    'refused.json',
    '{ "queues": [{ "name": "q", "arguments": { "x-message-ttl": "soon" } }] }',
    'invalid arg',
  ],
  [
    'with a vhost it does not make',
    'vhost.json',
    '{ "queues": [{ "name": "q", "vhost": "no" }] }',
    'Please create virtual host "no"',
  ],
])('a definitions file %s is refused with the reason', async (_, name, content, reason) => {
  const rig = setupCli()
  if (content !== undefined) rig.write(name, content)

  const ended = await rig.warren(`broker --port 0 --management-port 0 --definitions ${name}`)

  expect(ended.exitCode).toBe(1)
  expect(ended.stderr).toContain(reason)
})

it('a port or a profile that there is not is bad usage', async () => {
  const badPort = await setupCli().warren('broker --port 70000')
  const badProfile = await setupCli().warren('broker --profile 2.0')

  expect([badPort.exitCode, badProfile.exitCode]).toEqual([2, 2])
  expect(badPort.stderr).toContain('A port is a number from 0 to 65535.')
  expect(badProfile.stderr).toContain('Allowed choices are 3.10, 4.0, 4.3.')
})
