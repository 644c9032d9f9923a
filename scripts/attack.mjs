// `npm run attack`: everything that attacks the HTTP API, with more of it than `npm test` has time for.
//   node scripts/attack.mjs [--requests <fuzzed requests>] [--connections <hostile connections>] [--seed <number>]
import { spawn } from 'node:child_process'
import { parseArgs } from 'node:util'

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '100000' },
    connections: { type: 'string', default: '50000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
})
const { requests, connections, seed } = values
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
}
spawn('npx', args, { env, stdio: 'inherit' }).on('close', (status) => {
  process.exitCode = status ?? 1
})
