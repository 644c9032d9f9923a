// Runs the tests that need no RabbitMQ on the other Nodes that are supported, one after the other, and prints what came
// of it. The whole of the embedded tests takes minutes on each, so a chosen part of them runs; `--whole` runs all.
//   node scripts/test-nodes.mjs [line of Node…] [--whole]
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, dirname } from 'node:path'
import { parseArgs } from 'node:util'
import { fetchNode, otherNodes } from './fetch-node.mjs'
import { writeRunStatus } from './write-run-status.mjs'

// What leans on Node most: sockets, HTTP, timers, signals, child processes, and how runners load a package.
const leanOnNode = [
  ...['cli', 'broker-cli', 'test-runners', 'testing-guide'].map((name) => `test/e2e/${name}.test.ts`),
  ...['hostile-broker', 'open-session-pair', 'output', 'scripted-server'].map(
    (name) => `test/integration/broker/${name}.test.ts`,
  ),
  'test/integration/management/http-transport.test.ts',
  ...['virtual-time', 'waiting'].map((name) => `test/integration/consumer/${name}.test.ts`),
  ...['recovery-redrive-exhaustive', 'recovery-redrive-leaks', 'taken-port'].map(
    (name) => `test/faults/${name}.test.ts`,
  ),
]
const gone = leanOnNode.filter((file) => !existsSync(file))
if (gone.length > 0) throw new Error(`No longer there: ${gone.join(', ')}`)

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { whole: { type: 'boolean', default: false } },
})
const majors = positionals.length > 0 ? positionals : otherNodes()
const runs = majors.map(testOn)
console.table(runs)
process.exitCode = runs.every(({ hasPassed }) => hasPassed) ? 0 : 1

function testOn(major) {
  const program = fetchNode(major)
  const version = spawnSync(program, ['--version'], { encoding: 'utf8' }).stdout.trim()
  const startedAt = Date.now()
  const parts = values.whole
    ? [{ run: `node-${major}`, args: projects('unit', 'embedded*') }]
    : [
        { run: `node-${major}-unit`, args: projects('unit') },
        { run: `node-${major}-embedded`, args: [...projects('embedded*'), ...leanOnNode] },
      ]
  const statuses = parts.map((part) => runVitest({ ...part, program }))
  const seconds = Math.round((Date.now() - startedAt) / 1000)
  return { version, hasPassed: statuses.every((status) => status === 0), seconds }
}

function projects(...names) {
  return names.flatMap((name) => ['--project', name])
}

/** By that Node alone: what a test starts by name is found in the same place. */
function runVitest({ program, run, args }) {
  console.log(`\n=== ${run}`)
  const { status } = spawnSync(program, ['node_modules/vitest/vitest.mjs', 'run', ...args], {
    stdio: 'inherit',
    env: {
      ...process.env,
      PATH: `${dirname(program)}${delimiter}${process.env.PATH}`,
      WARREN_TEST_RUN: run,
    },
  })
  writeRunStatus(run, status ?? 1)
  return status ?? 1
}
