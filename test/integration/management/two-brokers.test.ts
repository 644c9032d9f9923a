import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest'
import { runCli } from '../../../packages/cli/src/run-cli.ts'
import { declareQueue, inspectQueue } from '../../../packages/warrenmq/src/broker/amqp/declarations.ts'
import { Session } from '../../../packages/warrenmq/src/broker/amqp/session.ts'
import { locateManagement } from '../../../packages/warrenmq/src/broker/management/management-url.ts'
import { pairManagement } from '../../../packages/warrenmq/src/broker/management/pair-management.ts'
import { connect, defineTopology } from '../../../packages/warrenmq/src/index.ts'
import { toFieldTable } from '../../../packages/warrenmq/src/wire/plain-fields.ts'
import { callManagement } from '../../support/call-management.ts'
import { startProxy } from '../../support/start-proxy.ts'
import { type RabbitNode, startRabbitNode } from '../../support/start-rabbit-node.ts'
import { useBroker } from '../../support/use-broker.ts'
import { describeWithNode, testWithNode } from '../../support/with-node.ts'

/** The broker whose management API somebody gives by mistake. */
const other = await useBroker()
const vhost = other.vhost
const otherManagementUrl = Object.assign(new URL(other.managementUrl), {
  username: other.username,
  password: other.password,
}).href

const quick = { backoff: { initialMs: 5, maxMs: 100 } }

let node: RabbitNode

beforeAll(async () => {
  node = await startRabbitNode()
  await callManagement(node, 'PUT', `/api/vhosts/${vhost}`, {})
  const rights = { configure: '.*', write: '.*', read: '.*' }
  await callManagement(node, 'PUT', `/api/permissions/${vhost}/${node.username}`, rights)
})

afterAll(() => node?.destroy())

/** A queue of one name on both: to take from it is harmless on one, and deletes on the other. */
async function setup(messages = 3) {
  const url = `${node.amqpUrl}/${vhost}`
  const queue = `letters-${randomUUID()}`
  const session = await Session.open(url)
  onTestFinished(() => session.close())
  const channel = await session.openChannel()
  const limited = toFieldTable({ 'x-queue-type': 'quorum', 'x-delivery-limit': 2 })
  await declareQueue(channel, { queue, arguments: limited })
  await other.management('PUT', `/api/queues/${vhost}/${queue}`, {
    durable: true,
    auto_delete: false,
    arguments: { 'x-queue-type': 'classic' },
  })
  const warren = await connect(url, { managementUrl: otherManagementUrl })
  onTestFinished(() => warren.close())
  for (let sent = 0; sent < messages; sent += 1)
    await warren.publisher().publish({ key: queue, body: 'letter' })
  const depth = async (): Promise<number> => (await inspectQueue(channel, queue)).messageCount
  return { url, queue, warren, depth }
}

async function runWarren(words: readonly string[], env: Record<string, string>) {
  const said = { out: '', error: '' }
  const sink = (name: keyof typeof said) =>
    new Writable({
      write: (chunk: Buffer, _, done) => {
        said[name] += chunk.toString()
        done()
      },
    })
  const exitCode = await runCli([...words], {
    stdout: sink('out'),
    stderr: sink('error'),
    env: { NO_COLOR: '1', ...env },
  })
  return { exitCode, ...said }
}

async function writeConfig(queue: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'warren-two-brokers-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const file = join(folder, 'warren.config.json')
  await writeFile(file, JSON.stringify({ queues: { [queue]: { deadLetter: false } } }))
  return file
}

describeWithNode('with the management API of another broker', () => {
  testWithNode('no look deletes what it looks at', async () => {
    const { queue, warren, depth } = await setup()

    for (let look = 0; look < 4; look += 1) {
      await expect(warren.deadLetters(queue).peek()).rejects.toMatchObject({ code: 'MANAGEMENT_NOT_PROVED' })
      await expect(warren.deadLetters(queue).causes()).rejects.toMatchObject({
        code: 'MANAGEMENT_NOT_PROVED',
      })
    }

    expect(await depth()).toBe(3)
  })

  testWithNode('nothing is planned, applied or put back by what it says', async () => {
    const { url, queue, warren, depth } = await setup()
    const topology = defineTopology({ queues: { [queue]: {} } })
    const declared = await connect(url, { topology, managementUrl: otherManagementUrl })
    onTestFinished(() => declared.close())
    const refused = { code: 'MANAGEMENT_NOT_PROVED' }

    await expect(declared.plan()).rejects.toMatchObject(refused)
    await expect(declared.apply()).rejects.toMatchObject(refused)
    await expect(warren.deadLetters(queue).preview({ to: { queue } })).rejects.toMatchObject(refused)
    await expect(warren.deadLetters(queue).redrive({ to: { queue } })).rejects.toMatchObject(refused)

    expect(await depth()).toBe(3)
  })

  testWithNode('every command that needs it says what was found, and the way out', async () => {
    const { url, queue, depth } = await setup()
    const config = await writeConfig(queue)
    const env = { AMQP_URL: url, MANAGEMENT_URL: otherManagementUrl }
    const commands = [
      ['plan', '--config', config],
      ['apply', '--config', config],
      ['dlq', 'list', '--config', config],
      ['dlq', 'peek', queue],
      ['dlq', 'causes', queue],
      ['dlq', 'redrive', queue, '--dry-run'],
      ['dlq', 'discard', queue, '--out', `${config}.backup`, '--yes'],
      ['init', '--from-broker', '--config', `${config}.new.json`],
    ]

    for (const command of commands) {
      const { exitCode, out, error } = await runWarren(command, env)
      expect({ command, exitCode, out }).toEqual({ command, exitCode: 1, out: '' })
      expect(error).toContain(`does not belong to the broker at amqp://127.0.0.1:${node.amqpPort}/`)
      expect(error).toContain('--management-url')
    }

    expect(await depth()).toBe(3)
  })

  testWithNode(
    'what one connection proved is not believed of the next one, which is to another broker',
    async () => {
      const { queue, depth } = await setup()
      const user = await createUserOnBoth()
      const proxy = await startProxy({ target: Number(new URL(other.url).port) })
      onTestFinished(() => proxy.close())
      const hosts = `127.0.0.1:${proxy.port},127.0.0.1:${node.amqpPort}`
      const session = await Session.open(`amqp://${user}:${user}@${hosts}/${vhost}`, quick)
      onTestFinished(() => session.close())
      const management = pairManagement(session, {
        managementUrl: otherManagementUrl,
        isManagementGuessed: false,
      })
      expect(await management.queues.find({ vhost, name: queue })).toMatchObject({ type: 'classic' })

      const reconnected = new Promise((resolve) => session.events.on('connected', resolve))
      proxy.refuse()
      proxy.cutAll()
      await reconnected

      await expect(management.queues.find({ vhost, name: queue })).rejects.toMatchObject({
        code: 'MANAGEMENT_NOT_PROVED',
      })
      expect(await depth()).toBe(3)
    },
  )

  testWithNode('whoever logs in to the server there is nobody here', async () => {
    const { url } = await setup(0)
    const session = await Session.open(url)
    onTestFinished(() => session.close())
    const management = pairManagement(session, {
      managementUrl: otherManagementUrl,
      isManagementGuessed: false,
    })
    const login = { username: other.username, password: other.password }

    await expect(management.loginAs(login).whoAmI()).rejects.toMatchObject({ code: 'MANAGEMENT_NOT_PROVED' })
  })

  testWithNode('one at the usual address is as good as none, and the named one is used', async () => {
    const { url, queue } = await setup(0)
    const session = await Session.open(url)
    onTestFinished(() => session.close())
    const guessed = pairManagement(session, { managementUrl: otherManagementUrl, isManagementGuessed: true })
    const { managementUrl } = locateManagement(url, node.managementUrl)
    const named = pairManagement(session, { managementUrl, isManagementGuessed: false })

    await expect(guessed.overview()).rejects.toMatchObject({ code: 'MANAGEMENT_NOT_PROVED', isAbsent: true })
    expect(await named.queues.find({ vhost, name: queue })).toMatchObject({ type: 'quorum' })
  })
})

/** Named like its password. */
async function createUserOnBoth(): Promise<string> {
  const user = `both-${randomUUID()}`
  const rights = { configure: '.*', write: '.*', read: '.*' }
  for (const access of [node, other]) {
    await callManagement(access, 'PUT', `/api/users/${user}`, { password: user, tags: '' })
    await callManagement(access, 'PUT', `/api/permissions/${vhost}/${user}`, rights)
  }
  onTestFinished(async () => void (await other.management('DELETE', `/api/users/${user}`)))
  return user
}
