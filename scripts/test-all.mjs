// `npm test`: all tests but the long fuzz. Those that need no RabbitMQ run beside those that do, because both often wait.
//   node scripts/test-all.mjs [what vitest is to be told, e.g. a file: then it is one run]
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { brokerProjects } from './broker-projects.mjs'
import { writeRunStatus } from './write-run-status.mjs'

const told = process.argv.slice(2)
const withoutBroker = ['unit', 'embedded*', 'nestjs', 'browser']

process.exitCode = told.length > 0 ? await runVitest({ projects: ['!fuzz'], told }) : await runAll()

async function runAll() {
  const beside = runVitest({ projects: withoutBroker, name: 'without-broker', isShownAtEnd: true })
  const status = await runVitest({ projects: brokerProjects })
  return (await beside) || status
}

/** Two runs that write at once cannot be read, so one of them is shown when it is over. */
async function runVitest({ projects, told: more = [], name, isShownAtEnd = false }) {
  const args = ['vitest', 'run', ...projects.flatMap((project) => ['--project', project]), ...more]
  const env = { ...process.env, ...(name && { WARREN_TEST_RUN: name }) }
  const output = isShownAtEnd ? 'pipe' : 'inherit'
  const tests = spawn('npx', args, { env, stdio: ['ignore', output, output] })
  const shown = []
  for (const stream of [tests.stdout, tests.stderr]) stream?.on('data', (chunk) => shown.push(chunk))
  const [status] = await once(tests, 'close')
  process.stdout.write(Buffer.concat(shown))
  writeRunStatus(name ?? 'at-hand', status ?? 1)
  return status ?? 1
}
