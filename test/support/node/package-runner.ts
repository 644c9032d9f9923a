import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { open, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { eventually } from '../eventually.ts'
import { excerpt, runCommand } from '../run-command.ts'
import type { PackageSource } from '../source/broker-source.ts'
import { inRoot } from './in-root.ts'
import type { NodePorts, NodeRunner } from './node-runner.ts'
import { watchProcesses } from './watchdog.ts'

export interface PackageNode {
  readonly source: PackageSource
  readonly name: string
  readonly ports: NodePorts
  /** The node's directory as this machine sees it, below the source's root. */
  readonly directory: string
}

/** Runs a node from a Debian package, on the machine or in a root of its own. */
export function createPackageRunner(node: PackageNode): NodeRunner {
  const { source, directory } = node
  const watchdog = watchProcesses(directory)
  const env = nodeEnvironment(node)
  const outputFile = join(directory, 'output.log')
  let epmd: ChildProcess | undefined
  let broker: ChildProcess | undefined

  async function startGuarded(command: readonly string[]): Promise<ChildProcess> {
    const output = await open(outputFile, 'a')
    // The shell waits for a word before it becomes the command. If we die before the watchdog knows of the
    // process, the word never comes and the shell ends with its input.
    const child = spawn('sh', ['-c', 'read -r go && exec "$@" </dev/null', 'go', ...command], {
      env,
      cwd: '/',
      detached: true,
      stdio: ['pipe', output.fd, output.fd],
    })
    await once(child, 'spawn')
    await output.close()
    const group = child.pid as number
    watchdog.guard(group)
    child.once('exit', () => watchdog.forget(group))
    child.stdin?.end('go\n')
    child.unref()
    return child
  }

  return {
    async launch() {
      if (!isAlive(epmd)) epmd = await startGuarded(await epmdCommand(node))
      broker = await startGuarded(await inRoot(source, ['/usr/lib/rabbitmq/bin/rabbitmq-server']))
    },
    async signal(signal) {
      if (!isAlive(broker)) return
      const pid = broker.pid as number
      process.kill(-pid, signal)
      if (signal === 'SIGSTOP') await eventually(() => isStopped(pid), { what: 'every thread to stop' })
    },
    async ended() {
      if (isAlive(broker)) await once(broker, 'exit')
    },
    isRunning: () => isAlive(broker),
    async runTool(tool, args) {
      const [command, ...rest] = await inRoot(source, [`/usr/lib/rabbitmq/bin/${tool}`, '--quiet', ...args])
      return runCommand(command, rest, { env, cwd: '/' })
    },
    async lastOutput() {
      return excerpt(await readFile(outputFile, 'utf8').catch(() => ''))
    },
    async remove() {
      const ends = [broker, epmd].filter(isAlive).map(endOf)
      await watchdog.release()
      await Promise.all(ends)
    },
  }
}

/** Unlike a node that is only left running, one that is waited for keeps this process alive. */
async function endOf(child: ChildProcess): Promise<void> {
  child.ref()
  await once(child, 'exit')
}

/** A thread runs on until the system gets round to stopping it, and answers meanwhile. */
async function isStopped(pid: number): Promise<boolean> {
  const threads = await readdir(`/proc/${pid}/task`)
  const stats = await Promise.all(threads.map((id) => readFile(`/proc/${pid}/task/${id}/stat`, 'utf8')))
  // The state stands behind the name, which may hold anything but ends with the last bracket.
  return stats.every((stat) => stat.slice(stat.lastIndexOf(')') + 2).startsWith('T'))
}

function isAlive(child: ChildProcess | undefined): child is ChildProcess {
  return child !== undefined && child.exitCode === null && child.signalCode === null
}

/** The name server is ours and in the foreground; the daemon that a node would start outlives it. */
function epmdCommand({ source, ports }: PackageNode): Promise<[string, ...string[]]> {
  return inRoot(source, ['/usr/bin/epmd', '-port', String(ports.epmd), '-address', '127.0.0.1'])
}

function nodeEnvironment({ source, name, ports, directory }: PackageNode): NodeJS.ProcessEnv {
  const seen = directory.slice(source.root.length)
  return {
    PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
    LANG: 'C.UTF-8',
    HOME: `${seen}/home`,
    TMPDIR: `${seen}/home`,
    // Makes the start script become the broker instead of waiting for it, so that signals and the exit
    // code are the broker's own.
    RUNNING_UNDER_SYSTEMD: 'true',
    ERL_CRASH_DUMP_BYTES: '0',
    ERL_EPMD_PORT: String(ports.epmd),
    ERL_EPMD_ADDRESS: '127.0.0.1',
    RABBITMQ_NODENAME: `${name}@localhost`,
    RABBITMQ_DIST_PORT: String(ports.distribution),
    RABBITMQ_MNESIA_BASE: `${seen}/data`,
    RABBITMQ_LOG_BASE: `${seen}/log`,
    RABBITMQ_ENABLED_PLUGINS_FILE: `${seen}/enabled_plugins`,
    RABBITMQ_CONFIG_FILE: `${seen}/rabbitmq.conf`,
    RABBITMQ_ADVANCED_CONFIG_FILE: `${seen}/advanced.config`,
    RABBITMQ_CONF_ENV_FILE: `${seen}/no-rabbitmq-env.conf`,
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: '-kernel inet_dist_use_interface {127,0,0,1}',
  }
}
