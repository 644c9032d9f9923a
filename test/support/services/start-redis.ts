import { mkdtemp } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { takeFreePorts } from '../node/free-ports.ts'
import { findProgram } from './find-program.ts'
import { type ServerProcess, startServer } from './server-process.ts'

export interface RedisServer extends ServerProcess {
  readonly url: string
}

/** Starts a private Redis that keeps its data over a crash. */
export async function startRedis(): Promise<RedisServer> {
  const program = await findProgram({ name: 'redis-server', debianPackage: 'redis-server' })
  const directory = await mkdtemp(join(tmpdir(), 'warrenmq-redis-'))
  const [port = 0] = await takeFreePorts(1)
  const settings = {
    port,
    bind: '127.0.0.1',
    dir: directory,
    appendonly: 'yes',
    appendfsync: 'always',
    save: '',
  }
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)])
  const server = await startServer({
    name: 'Redis',
    command: [program, ...args],
    directory,
    greet: () => ping(port),
    crashSignal: 'SIGKILL',
  })
  return { ...server, url: `redis://127.0.0.1:${port}` }
}

function ping(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' })
    socket.once('error', reject)
    socket.once('close', () => reject(new Error('Redis closed the connection')))
    socket.once('data', (answer) => {
      socket.destroy()
      if (String(answer) === '+PONG\r\n') resolve()
      else reject(new Error(`Redis answered ${answer}`))
    })
    socket.write('PING\r\n')
  })
}
