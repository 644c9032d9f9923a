import { chown, mkdtemp, realpath } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { takeFreePorts } from '../node/free-ports.ts'
import { runCommand } from '../run-command.ts'
import { isRoot } from '../source/machine.ts'
import { findProgram } from './find-program.ts'
import { type ServerProcess, startServer } from './server-process.ts'

export interface PostgresServer extends ServerProcess {
  readonly url: string
}

/** PostgreSQL refuses to be root. This is `nobody`, on every Linux. */
const nobody = 65_534

/** Starts a private PostgreSQL that keeps its data over a crash of its own, though not of the machine. */
export async function startPostgres(): Promise<PostgresServer> {
  const found = await findProgram({
    name: 'initdb',
    debianPackage: 'postgresql',
    folders: ['/usr/lib/postgresql/*/bin'],
  })
  // Behind a link its companions may not be beside it.
  const initdb = await realpath(found)
  const directory = await mkdtemp(join(tmpdir(), 'warrenmq-postgres-'))
  if (isRoot()) await chown(directory, nobody, nobody)
  const data = join(directory, 'data')
  const [port = 0] = await takeFreePorts(1)
  const create = [
    '--pgdata',
    data,
    '--username',
    'warren',
    '--auth',
    'trust',
    '--encoding',
    'UTF8',
    '--no-sync',
  ]
  const [command, ...args] = asNobody(initdb, ...create)
  await runCommand(command, args, { cwd: '/' })
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: directory,
    fsync: 'off',
    shared_buffers: '16MB',
  }
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const server = await startServer({
    name: 'PostgreSQL',
    command: asNobody(join(dirname(initdb), 'postgres'), '-D', data, '-p', String(port), ...flags),
    directory,
    greet: () => runCommand(join(dirname(initdb), 'pg_isready'), ['-h', '127.0.0.1', '-p', String(port)]),
    // Its own word for a crash: all backends end at once and nothing is written. Killed −9, the server would
    // leave backends behind that keep the next start from its memory.
    crashSignal: 'SIGQUIT',
  })
  return { ...server, url: `postgres://warren@127.0.0.1:${port}/postgres` }
}

function asNobody(program: string, ...args: readonly string[]): [string, ...string[]] {
  if (!isRoot()) return [program, ...args]
  return ['setpriv', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups', program, ...args]
}
