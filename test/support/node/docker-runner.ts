import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { excerpt, runCommand } from '../run-command.ts'
import type { DockerSource } from '../source/broker-source.ts'
import type { NodePorts, NodeRunner } from './node-runner.ts'
import { watchContainer } from './watchdog.ts'

export interface DockerNode {
  readonly source: DockerSource
  readonly name: string
  readonly ports: NodePorts
  readonly directory: string
  readonly cookie: string
  readonly hasTls: boolean
  /** A network that the nodes of a cluster share. */
  readonly network?: string | undefined
}

/** The directory of a node as its container sees it. */
export const directoryInContainer = '/warren'

/** Runs a node in a container. Its ports are open on loopback only. */
export function createDockerRunner(node: DockerNode): NodeRunner {
  const { name, directory } = node
  const watchdog = watchContainer(directory, name)
  let isCreated = false
  let isUp = false

  async function ended(): Promise<void> {
    if (!isUp) return
    const waiting = spawn('docker', ['wait', name], { stdio: 'ignore' })
    waiting.unref()
    await once(waiting, 'exit')
    isUp = false
  }

  return {
    async launch() {
      if (!isCreated) await docker('create', ...createArguments(node))
      isCreated = true
      await docker('start', name)
      isUp = true
    },
    async signal(signal) {
      if (!isUp) return
      if (signal === 'SIGSTOP') await docker('pause', name)
      else if (signal === 'SIGCONT') await docker('unpause', name)
      else await docker('kill', '--signal', signal, name)
    },
    ended,
    isRunning: () => isUp,
    runTool: (tool, args) => docker('exec', name, tool, '--quiet', ...args),
    async lastOutput() {
      return excerpt(await docker('logs', name).catch(() => ''))
    },
    async remove() {
      isUp = false
      await watchdog.release()
    },
  }
}

function createArguments(node: DockerNode): string[] {
  const { source, name, ports, directory, cookie, network, hasTls } = node
  const published = [ports.amqp, ports.management, ...(hasTls ? [ports.amqps] : [])]
  const environment = {
    RABBITMQ_ERLANG_COOKIE: cookie,
    RABBITMQ_CONFIG_FILE: `${directoryInContainer}/rabbitmq.conf`,
    RABBITMQ_ADVANCED_CONFIG_FILE: `${directoryInContainer}/advanced.config`,
    RABBITMQ_ENABLED_PLUGINS_FILE: `${directoryInContainer}/enabled_plugins`,
  }
  return [
    ...['--name', name, '--hostname', name],
    ...(network ? ['--network', network] : []),
    ...published.flatMap((port) => ['--publish', `127.0.0.1:${port}:${port}`]),
    ...['--volume', `${directory}:${directoryInContainer}`],
    ...Object.entries(environment).flatMap(([key, value]) => ['--env', `${key}=${value}`]),
    source.image,
  ]
}

function docker(...args: string[]): Promise<string> {
  return runCommand('docker', args, { timeoutMs: 300_000 })
}
