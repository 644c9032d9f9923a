import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import type { TestProject } from 'vitest/node'
import { type ProfileName, startEmbeddedBroker } from '../../packages/warrenmq/src/testing.ts'
import { callManagement } from './call-management.ts'
import type { SharedBroker } from './shared-broker.ts'
import type { UrlSource } from './source/broker-source.ts'
import { findBrokerSource, wantedVersion } from './source/find-broker-source.ts'
import { startRabbitNode } from './start-rabbit-node.ts'

interface RunningBroker {
  readonly broker: SharedBroker
  /** What it is, for the table of a run over several versions. */
  readonly source: string
  end(): Promise<void>
}

// Every project of a vitest run loads this file afresh, in one process. The broker is shared through the
// one thing that they have in common.
const slot = globalThis as { warrenBroker?: { running: Promise<RunningBroker>; users: number } }

/** Starts the broker of the run with the first project that needs it, and ends it with the last. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  slot.warrenBroker ??= { running: startBroker(), users: 0 }
  const shared = slot.warrenBroker
  shared.users += 1
  const running = await shared.running
  project.provide('broker', running.broker)
  return async () => {
    shared.users -= 1
    if (shared.users === 0) await running.end()
  }
}

async function startBroker(): Promise<RunningBroker> {
  try {
    const running = isEmbeddedWanted() ? await embedBroker() : await findBroker()
    process.stderr.write(`RabbitMQ ${running.broker.version} (${running.source})\n`)
    await report({ version: running.broker.version, source: running.source })
    return running
  } catch (error) {
    await report({ unavailable: (error as Error).message })
    throw error
  }
}

/** A run of CI stands for RabbitMQ, so that a leftover setting must not make it one of ours. */
function isEmbeddedWanted(): boolean {
  const isWanted = process.env.WARREN_BROKER_SOURCE === 'embedded'
  if (isWanted && process.env.CI)
    throw new Error(
      'CI never runs on the embedded broker. Unset WARREN_BROKER_SOURCE, or CI for a run of your own.',
    )
  return isWanted
}

async function findBroker(): Promise<RunningBroker> {
  const source = await findBrokerSource({ version: wantedVersion() })
  return source.kind === 'url' ? useGivenBroker(source) : startPrivateBroker(source.kind)
}

/** The quick part, for who has no RabbitMQ at hand. Only by name: a run must not take it for one unasked. */
async function embedBroker(): Promise<RunningBroker> {
  const profile = wantedVersion() as ProfileName | undefined
  const { version, port, managementPort, stop } = await startEmbeddedBroker({ ...(profile && { profile }) })
  const [username, password] = ['guest', 'guest']
  const broker = {
    version,
    username,
    password,
    vhostPrefix: 'test',
    canStartNodes: false,
    amqpUrl: `amqp://${username}:${password}@127.0.0.1:${port}`,
    managementUrl: `http://127.0.0.1:${managementPort}`,
  }
  return { broker, source: 'embedded', end: stop }
}

async function startPrivateBroker(kind: string): Promise<RunningBroker> {
  const node = await startRabbitNode()
  const { version, amqpUrl, managementUrl, username, password } = node
  const broker = {
    version,
    amqpUrl,
    managementUrl,
    username,
    password,
    vhostPrefix: 'test',
    canStartNodes: true,
  }
  return { broker, source: kind, end: () => node.destroy() }
}

async function useGivenBroker({ amqpUrl, managementUrl }: UrlSource): Promise<RunningBroker> {
  const url = new URL(amqpUrl)
  const broker: SharedBroker = {
    version: '',
    amqpUrl: `${url.protocol}//${url.username && `${url.username}:${url.password}@`}${url.host}`,
    managementUrl: new URL(managementUrl).origin,
    username: decodeURIComponent(url.username || 'guest'),
    password: decodeURIComponent(url.password || 'guest'),
    vhostPrefix: `warren-test-${randomBytes(4).toString('hex')}`,
    canStartNodes: false,
  }
  const overview = await callManagement<{ rabbitmq_version: string }>(broker, 'GET', '/api/overview')
  const end = () => dropLeftovers(broker)
  return { broker: { ...broker, version: overview.rabbitmq_version }, source: 'AMQP_URL', end }
}

/** A test file drops its own vhost and its accounts; this is for those that were cut short. */
async function dropLeftovers(broker: SharedBroker): Promise<void> {
  for (const path of ['/api/users', '/api/vhosts']) {
    const found = await callManagement<{ name: string }[]>(broker, 'GET', path)
    for (const { name } of found.filter((each) => each.name.startsWith(broker.vhostPrefix)))
      await callManagement(broker, 'DELETE', `${path}/${encodeURIComponent(name)}`)
  }
}

/** Tells whoever started the run what it got, in the file that WARREN_BROKER_REPORT names. */
async function report(news: { version: string; source: string } | { unavailable: string }): Promise<void> {
  const file = process.env.WARREN_BROKER_REPORT
  if (file) await writeFile(file, JSON.stringify(news))
}
