// Packs the built package and looks at it as its users will: through publint, through attw, and from an
// empty project that installs it and uses the library, the testing broker and the command. Other versions of Node
// take part where WARREN_NODES names their programs, separated by colons.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const { name, version } = JSON.parse(readFileSync('package.json', 'utf8'))
const nodes = [process.execPath, ...(process.env.WARREN_NODES ?? '').split(':').filter(Boolean)]
/** A retried message on the embedded broker, by nothing but the two doors of the package. */
const userProgram = `
import { connect, defineTopology } from '${name}'
import { startEmbeddedBroker } from '${name}/testing'

const broker = await startEmbeddedBroker({ clock: 'virtual' })
const topology = defineTopology({ queues: { orders: { retry: { delays: ['30m'], maxAttempts: 2 } } } })
const warren = await connect(broker.url, { topology, managementUrl: broker.managementUrl })
await warren.apply()
let handled
await warren.consume('orders', (message, { attempt }) => {
  if (attempt === 1) throw new Error('too early')
  handled = ['handled at attempt', attempt, message.body]
})
await warren.publisher().publish({ key: 'orders', body: { id: 42 } })
await broker.settled()
await broker.clock.advance('30m')
console.log(...handled)
await warren.close()
await broker.stop()
`
const directory = mkdtempSync(join(tmpdir(), 'warrenmq-package-'))
try {
  refusePackagesForNewerNodes()
  const tarball = pack()
  run('npx', ['publint', 'run', tarball, '--strict'])
  run('npx', ['attw', tarball, '--profile', 'node16'])
  useInEmptyProject(tarball)
} catch (error) {
  // The tool has said on the terminal what it found.
  console.error(error.message)
  process.exitCode = 1
} finally {
  rmSync(directory, { recursive: true, force: true })
}

/** By the lock and the Node at hand, so that nobody's first install begins with a warning. */
function refusePackagesForNewerNodes() {
  run('npm', ['install', '--dry-run', '--engine-strict', '--no-audit', '--no-fund'])
}

function pack() {
  const [packed] = JSON.parse(
    read('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', directory]),
  )
  const { filename, entryCount, size, unpackedSize } = packed
  console.log(`${filename}: ${inKiB(size)} packed, ${inKiB(unpackedSize)} in ${entryCount} files`)
  const strays = packed.files
    .map(({ path }) => path)
    .filter((path) => /\.test\.|^test\/|^src\/|\.tsbuildinfo$/.test(path))
  if (strays.length > 0) throw new Error(`The package carries what no user needs: ${strays.join(', ')}`)
  return join(directory, filename)
}

function inKiB(bytes) {
  return `${Math.round(bytes / 1024)} KiB`
}

function useInEmptyProject(tarball) {
  const project = join(directory, 'project')
  mkdirSync(project)
  writeFileSync(join(project, 'package.json'), '{ "name": "user", "private": true, "type": "module" }\n')
  run('npm', ['install', '--no-audit', '--no-fund', '--omit=dev', tarball], project)
  const installed = join(project, 'node_modules', name)
  refuseMapsToNowhere(installed)
  writeFileSync(join(project, 'use.mjs'), userProgram)
  for (const node of nodes) {
    const said = read(node, ['use.mjs'], project).trim()
    if (said !== 'handled at attempt 2 { id: 42 }') throw new Error(`The program said: ${said}`)
    tryCommand(node, { main: join(installed, 'dist/cli/main.js'), project })
  }
  const said = read('npx', ['--no-install', 'warren', '--version'], project).trim()
  if (said !== version) throw new Error(`warren --version says "${said}", the package is ${version}.`)
}

/** A source map, or a comment that names one, is of use only with what it points to. */
function refuseMapsToNowhere(folder) {
  const files = readdirSync(join(folder, 'dist'), { recursive: true }).map((path) =>
    join(folder, 'dist', path),
  )
  for (const file of files.filter((path) => /\.(js|css|d\.ts)$/.test(path))) {
    const map = /\/[/*][#@] sourceMappingURL=(?!data:)(\S+)/.exec(readFileSync(file, 'utf8'))?.[1]
    if (map && !existsSync(join(dirname(file), map)))
      throw new Error(`${file} names ${map}, which is not there.`)
  }
  for (const file of files.filter((path) => path.endsWith('.map'))) {
    const { sources, sourcesContent } = JSON.parse(readFileSync(file, 'utf8'))
    const missing = sources.filter((path) => !existsSync(join(dirname(file), path)))
    if (!sourcesContent && missing.length > 0)
      throw new Error(`${file} points to ${missing}, which is not there.`)
  }
}

/** The whole story, from the command as it was installed. */
function tryCommand(node, { main, project }) {
  const { addsUp, equation } = JSON.parse(read(node, [main, 'demo', '--json'], project, 'ignore'))
  if (!addsUp) throw new Error(`The demo does not add up: ${equation}`)
  const nodeVersion = read(node, ['--version']).trim()
  console.log(`Node ${nodeVersion}: library, testing and command work; the demo says ${equation}.`)
}

function run(command, args, cwd) {
  execFileSync(command, args, { cwd, stdio: 'inherit' })
}

function read(command, args, cwd, stderr = 'inherit') {
  return execFileSync(command, args, {
    ...{ cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', stderr] },
    env: { ...process.env, AMQP_URL: '', MANAGEMENT_URL: '' },
  })
}
