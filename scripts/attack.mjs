// `npm run attack`: everything that attacks the HTTP API, with more of it than `npm test` has time for.
import { spawn } from 'node:child_process'
import { parseArgs } from 'node:util'

const help = `npm run attack -- [options]: everything that attacks the HTTP API, on a RabbitMQ and on the embedded broker

  --requests <number>     fuzzed requests by callers of every role and of none, and a tenth of them on RabbitMQ
                          (default: 100000; npm test: 20000; a few thousand do not reach every endpoint, and fail)
  --connections <number>  hostile connections (default: 50000; npm test: 10000)
  --seed <number>         repeats a run (default: another one each time)
  -h, --help              show this

It fails on an answer that is a 5xx and no declared 503, on a slot or a file descriptor that is not given back, and on a
wrong verdict about one of 200 forged audit logs for each law. Which attack is in which test: docs/reference/security.md.`

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '100000' },
    connections: { type: 'string', default: '50000' },
    seed: { type: 'string', default: String(1 + (Date.now() % 999_999)) },
    help: { type: 'boolean', short: 'h', default: false },
  },
})

if (values.help) console.log(help)
else attack(values)

function attack({ requests, connections, seed }) {
  for (const [name, value] of Object.entries({ requests, connections, seed })) refuseNoNumber(name, value)
  console.log(`${requests} fuzzed requests, ${connections} hostile connections; again with --seed ${seed}`)
  const projects = ['unit', 'embedded', 'integration']
  const targets = [
    'test/integration/http-api',
    'packages/cli/src/http-api/audit/forged-histories',
    'foreign-origin',
  ]
  const args = ['vitest', 'run', ...projects.flatMap((name) => ['--project', name]), ...targets]
  const env = {
    ...process.env,
    WARREN_HTTP_FUZZ_RUNS: requests,
    WARREN_HTTP_FUZZ_SEED: seed,
    WARREN_HOSTILE_CONNECTIONS: connections,
    WARREN_TELL_PROGRESS: '1',
  }
  spawn('npx', args, { env, stdio: 'inherit' }).on('close', (status) => {
    process.exitCode = status ?? 1
  })
}

/** A number that is none would attack nothing, and pass. */
function refuseNoNumber(name, value) {
  if (/^[1-9]\d{0,8}$/.test(value)) return
  console.error(`--${name} must be a whole number of at least 1, not "${value}".`)
  process.exit(2)
}
