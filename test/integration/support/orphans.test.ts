import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, onTestFinished } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import { testWithNode } from '../../support/with-node.ts'

interface LeftNode {
  readonly name: string
  readonly directory: string
  readonly amqpPort: number
  readonly pid: number
}

testWithNode('a node dies with the process that started it, even when that one is killed −9', async () => {
  const { vitest, node } = await leaveNode()
  await expect(knock(node.amqpPort)).resolves.toBeUndefined()
  expect(existsSync(node.directory)).toBe(true)

  vitest.kill('SIGKILL')
  process.kill(node.pid, 'SIGKILL')

  await eventually(() => expect(knock(node.amqpPort)).rejects.toThrow('ECONNREFUSED'))
  await eventually(() => expect(existsSync(node.directory)).toBe(false))
  await eventually(() => expect(processesOf(node.name)).toEqual([]))
})

/** Runs another vitest, whose test starts a node and then waits for ever. */
async function leaveNode(): Promise<{ vitest: ChildProcess; node: LeftNode }> {
  const fixtures = join(import.meta.dirname, '../../support/fixtures')
  const command = [join(process.cwd(), 'node_modules/vitest/vitest.mjs'), 'run', '--root', fixtures]
  const vitest = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void vitest.kill('SIGKILL'))
  for await (const line of createInterface(vitest.stdout)) {
    if (line.startsWith('{')) return { vitest, node: JSON.parse(line) as LeftNode }
  }
  throw new Error('The other vitest ended before its node was up.')
}

async function knock(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
  } finally {
    socket.destroy()
  }
}

/** Every process that was started for the node: the broker, its name server, their children. */
function processesOf(name: string): string[] {
  if (!existsSync('/proc')) return []
  const pids = readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))
  return pids.filter((pid) => readEnvironment(pid).includes(`RABBITMQ_NODENAME=${name}\0`))
}

function readEnvironment(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8')
  } catch {
    return '' // it has just ended
  }
}
