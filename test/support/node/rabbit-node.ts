import { randomBytes } from 'node:crypto'
import { eventually } from '../eventually.ts'
import type { DockerSource, PackageSource } from '../source/broker-source.ts'
import { awaitReady } from './await-ready.ts'
import type { NodeCertificates } from './create-certificates.ts'
import { createNodeFiles, type NodePlan } from './create-node-files.ts'
import { createDockerRunner } from './docker-runner.ts'
import { takeFreePorts } from './free-ports.ts'
import type { NodePorts, NodeRunner } from './node-runner.ts'
import { createPackageRunner } from './package-runner.ts'

/** One RabbitMQ that belongs to a test: nobody else uses it, and the test may do anything to it. */
export interface RabbitNode {
  /** As the broker says it: "3.10.8". */
  readonly version: string
  /** `name@host`, as rabbitmqctl calls it. */
  readonly name: string
  readonly amqpUrl: string
  readonly managementUrl: string
  readonly username: string
  readonly password: string
  readonly amqpPort: number
  readonly managementPort: number
  /** Its files: `log/`, `data/`, `rabbitmq.conf`. In Docker, data and logs stay in the container. */
  readonly directory: string
  /** Present when the node was started with `tls`. */
  readonly tls: NodeTls | undefined
  /** Starts it again, with the data that it had. Settles when AMQP and HTTP answer. */
  start(): Promise<void>
  /** Lets it finish: queues are closed, files are synced. */
  stop(): Promise<void>
  /** Ends it as a power cut would, apart from what the operating system still writes to the disk. */
  kill9(): Promise<void>
  /** Freezes the whole broker: sockets stay open and nothing answers. */
  pause(): Promise<void>
  resume(): Promise<void>
  /**
   * Writes to disk what RabbitMQ writes some seconds later by itself: a kill -9 before that may lose the registration of
   * a new quorum queue, and with it the queue (measured on 3.10, 4.0 and 4.3).
   */
  syncRegistrations(): Promise<void>
  rabbitmqctl(...args: string[]): Promise<string>
  rabbitmqQueues(...args: string[]): Promise<string>
  /** Kills it and removes its files. */
  destroy(): Promise<void>
}

export interface NodeTls extends NodeCertificates {
  /** amqps:// with the user name and password. */
  readonly amqpsUrl: string
  readonly amqpsPort: number
}

export interface NodeOrder {
  readonly source: PackageSource | DockerSource
  readonly plugins: readonly string[]
  readonly config: Readonly<Record<string, string | number | boolean>>
  readonly hasTls: boolean
  readonly deadLetterResendMs?: number | undefined
  readonly cookie: string
  /** Nodes of one cluster share a name server… */
  readonly epmdPort?: number
  /** …and, in Docker, a network… */
  readonly network?: string
  /** …and, since they share the users too, one account. */
  readonly password?: string
}

const startTimeoutMs = 300_000

/** Prepares a node without starting it. */
export async function createRabbitNode(order: NodeOrder): Promise<RabbitNode> {
  const plan = await planNode(order)
  const files = await createNodeFiles(plan)
  const runner = createRunner(plan, files.directory)
  const { ports, username, password } = plan
  const managementUrl = `http://127.0.0.1:${ports.management}`
  let version = ''

  async function start(): Promise<void> {
    await runner.launch()
    const endpoints = { amqpPort: ports.amqp, managementUrl, username, password }
    version = await awaitReady(endpoints, { timeoutMs: startTimeoutMs, died: failWhenEnded(runner) })
  }

  async function end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    await runner.signal(signal)
    await eventually(() => !runner.isRunning(), {
      timeoutMs: 120_000,
      what: `the broker to end on ${signal}`,
    })
  }

  return {
    get version() {
      return version
    },
    name: nodeName(plan),
    amqpUrl: `amqp://${username}:${password}@127.0.0.1:${ports.amqp}`,
    managementUrl,
    username,
    password,
    amqpPort: ports.amqp,
    managementPort: ports.management,
    directory: files.directory,
    tls: files.certificates && {
      ...files.certificates,
      amqpsUrl: `amqps://${username}:${password}@localhost:${ports.amqps}`,
      amqpsPort: ports.amqps,
    },
    start,
    stop: () => end('SIGTERM'),
    kill9: () => end('SIGKILL'),
    pause: () => runner.signal('SIGSTOP'),
    resume: () => runner.signal('SIGCONT'),
    syncRegistrations: async () => {
      const synced = await runner.runTool('rabbitmqctl', [
        'eval',
        '[dets:sync(Table) || Table <- dets:all()].',
      ])
      if (!/^\[ok(,ok)*\]\s*$/.test(synced))
        throw new Error(`The tables of ${nodeName(plan)} were not written: ${synced}`)
    },
    rabbitmqctl: (...args) => runner.runTool('rabbitmqctl', args),
    rabbitmqQueues: (...args) => runner.runTool('rabbitmq-queues', args),
    destroy: () => runner.remove(),
  }
}

async function planNode(order: NodeOrder): Promise<NodePlan> {
  const [amqp, management, distribution, epmd, amqps] = (await takeFreePorts(5)) as [
    number,
    number,
    number,
    number,
    number,
  ]
  const ports: NodePorts = { amqp, management, distribution, amqps, epmd: order.epmdPort ?? epmd }
  const name = `warren-${randomBytes(4).toString('hex')}`
  return {
    ...order,
    ports,
    name,
    username: 'warren',
    password: order.password ?? randomBytes(9).toString('hex'),
  }
}

function nodeName({ source, name }: NodePlan): string {
  return source.kind === 'docker' ? `rabbit@${name}` : `${name}@localhost`
}

function createRunner(plan: NodePlan, directory: string): NodeRunner {
  const { source } = plan
  if (source.kind === 'docker') return createDockerRunner({ ...plan, source, directory })
  return createPackageRunner({ ...plan, source, directory })
}

async function failWhenEnded(runner: NodeRunner): Promise<never> {
  await runner.ended()
  throw new Error(`The broker ended while it was starting:\n${await runner.lastOutput()}`)
}
