// Packs the built packages and looks at them as their users will: through publint, through attw, and from projects that
// install them from their tarballs: a library that brings nothing along, used by ES modules and by CommonJS, and the
// command. Other versions of Node take part where WARREN_NODES names their programs, separated by colons.
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import ts from 'typescript'
import { packPackage } from './pack-package.mjs'
import { readDoor } from './read-door.mjs'

const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
const nodes = [process.execPath, ...(process.env.WARREN_NODES ?? '').split(':').filter(Boolean)]
/** What a service downloads when it installs the library. */
const mostLibraryBytes = 450_000
/** What an operator downloads beside the library: the command with the console, and the packages that it brings. */
const mostCliBytes = 850_000
const mostCliPackages = 92

/** A retried message on the embedded broker, by nothing but the doors of the library. */
const story = `
async function tellStory({ connect, defineTopology, startEmbeddedBroker }: Doors): Promise<string> {
  await using broker = await startEmbeddedBroker({ clock: 'virtual' })
  const topology = defineTopology({ queues: { orders: { retry: { delays: ['30m'], maxAttempts: 2 } } } })
  await using warren = await connect(broker.url, { topology, managementUrl: broker.managementUrl })
  await warren.apply()
  let handled = 'not handled'
  await warren.consume('orders', (message, { attempt }) => {
    if (attempt === 1) throw new Error('too early')
    handled = \`handled at attempt \${attempt} \${JSON.stringify(message.body)}\`
  })
  await warren.publisher().publish({ key: 'orders', body: { id: 42 } })
  await broker.settled()
  await broker.clock.advance('30m')
  return handled
}
`
const types = `
interface Doors {
  readonly connect: typeof import('warrenmq').connect
  readonly defineTopology: typeof import('warrenmq').defineTopology
  readonly startEmbeddedBroker: typeof import('warrenmq/testing').startEmbeddedBroker
}
`
/** Two kinds of callers in one process share one copy: an error that one door throws is known at the other. */
const callers = {
  'use.mts': `
import { createRequire } from 'node:module'
import { connect, defineTopology, WarrenError } from 'warrenmq'
import { parseFilter } from 'warrenmq/operations'
import { startEmbeddedBroker } from 'warrenmq/testing'
${types}${story}
const required = createRequire(import.meta.url)('warrenmq') as typeof import('warrenmq')
const isOne = required.WarrenError === WarrenError && typeof parseFilter === 'function'
console.log(await tellStory({ connect, defineTopology, startEmbeddedBroker }), isOne ? 'one copy' : 'TWO COPIES')
`,
  'use.cts': `
import { connect, defineTopology, WarrenError } from 'warrenmq'
import { parseFilter } from 'warrenmq/operations'
import { startEmbeddedBroker } from 'warrenmq/testing'
${types}${story}
async function main(): Promise<void> {
  const imported = await import('warrenmq')
  const isOne = imported.WarrenError === WarrenError && typeof parseFilter === 'function'
  console.log(await tellStory({ connect, defineTopology, startEmbeddedBroker }), isOne ? 'one copy' : 'TWO COPIES')
}
void main()
`,
}
/** The folders of the library that a door loads: a service does without the embedded broker, a test without the rest. */
const loadedBy = {
  warrenmq: 'broker consumer deploy leaves message publisher recovery topology wire',
  'warrenmq/operations': 'broker consumer deploy leaves message publisher recovery topology wire',
  'warrenmq/testing': 'embedded leaves message wire',
}
const formatHost = {
  getCurrentDirectory: () => process.cwd(),
  getCanonicalFileName: (name) => name,
  getNewLine: () => '\n',
}
const expected = 'handled at attempt 2 {"id":42} one copy'

const directory = mkdtempSync(join(tmpdir(), 'warrenmq-package-'))
try {
  refusePackagesForNewerNodes()
  for (const door of ['index', 'testing']) refuseUnexportedTypes(door)
  refuseUnexportedTypes('operations', { beside: 'index' })
  const library = pack('packages/warrenmq')
  const cli = pack('packages/cli')
  refuseLarger('library', library.size, mostLibraryBytes)
  refuseLarger('command', cli.size, mostCliBytes)
  for (const { tarball } of [library, cli]) run('npx', ['publint', 'run', tarball, '--strict'])
  run('npx', ['attw', library.tarball, '--profile', 'node16'])
  useLibrary(library.tarball)
  useCommand([library.tarball, cli.tarball])
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

/** Whoever writes a function around ours has to name what it takes and gives. */
function refuseUnexportedTypes(door, { beside } = {}) {
  const { unexported } = readDoor(typesOf(door), beside && { beside: typesOf(beside) })
  if (unexported.length === 0) return
  throw new Error(`packages/warrenmq/src/${door}.ts does not export these types: ${unexported.join(', ')}`)
}

function typesOf(door) {
  return `packages/warrenmq/dist/cjs/${door}.d.ts`
}

function pack(folder) {
  const { tarball, filename, files, entryCount, size, unpackedSize } = packPackage(folder, directory)
  console.log(`${filename}: ${inKiB(size)} packed, ${inKiB(unpackedSize)} in ${entryCount} files`)
  const strays = files
    .map(({ path }) => path)
    .filter((path) => /\.test\.|^test\/|^src\/|\.tsbuildinfo$/.test(path))
  if (strays.length > 0) throw new Error(`The package carries what no user needs: ${strays.join(', ')}`)
  return { tarball, size }
}

function refuseLarger(name, bytes, most) {
  if (bytes > most) throw new Error(`The ${name} has ${bytes} bytes packed; at most ${most} are wanted.`)
}

function inKiB(bytes) {
  return `${Math.round(bytes / 1024)} KiB`
}

function createProject(name, tarballs) {
  const project = join(directory, name)
  mkdirSync(project)
  writeFileSync(join(project, 'package.json'), `{ "name": "${name}", "private": true }\n`)
  run('npm', ['install', '--no-audit', '--no-fund', '--omit=dev', ...tarballs], project)
  return project
}

/** Every package below a project, as npm wrote it down. */
function listInstalled(project) {
  const { packages } = JSON.parse(readFileSync(join(project, 'node_modules/.package-lock.json'), 'utf8'))
  return Object.keys(packages).map((path) => path.replace(/^.*node_modules\//, ''))
}

/** From a service of either kind, under each way in which TypeScript finds modules. */
function useLibrary(tarball) {
  const project = createProject('service', [tarball])
  const installed = listInstalled(project)
  if (installed.join() !== 'warrenmq') throw new Error(`The library brings ${installed.join(', ')} along.`)
  refuseMapsToNowhere(join(project, 'node_modules/warrenmq'))
  refuseSilentOldCommand(project)
  for (const [door, rooms] of Object.entries(loadedBy)) refuseMoreThan(rooms, door, project)
  for (const [name, text] of Object.entries(callers)) writeFileSync(join(project, name), text)
  checkTypes(project, Object.keys(callers), { module: ts.ModuleKind.Node16 })
  checkTypes(project, Object.keys(callers), { module: ts.ModuleKind.NodeNext })
  const bundler = { module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler }
  checkTypes(project, ['use.mts'], bundler)
  for (const name of Object.keys(callers)) {
    const { outputText } = ts.transpileModule(callers[name], {
      fileName: name,
      compilerOptions: { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.NodeNext },
    })
    const program = name.replace('ts', 'js')
    writeFileSync(join(project, program), outputText)
    for (const node of nodes) {
      const said = read(node, [program], project).trim()
      if (said !== expected) throw new Error(`${program} said: ${said}`)
      console.log(`Node ${read(node, ['--version']).trim()}, ${program}: ${said}`)
    }
  }
}

/** `npx warrenmq` was the command line in 0.1. Who still calls it reads what to call, and no script takes it for success. */
function refuseSilentOldCommand(project) {
  const args = ['--no-install', 'warrenmq', 'dlq', 'list']
  const { status, stdout, stderr } = spawnSync('npx', args, { cwd: project, encoding: 'utf8' })
  const isPlain = status === 2 && stdout === '' && stderr.includes('npx @warrenmq/cli dlq list')
  if (!isPlain) throw new Error(`npx warrenmq ended with ${status} and said: ${stdout}${stderr}`)
}

function refuseMoreThan(rooms, door, project) {
  const listLoaded = `require('${door}'); console.log(Object.keys(require.cache).join('\\n'))`
  const files = read(process.execPath, ['-e', listLoaded], project).trim().split('\n')
  const [own, runtime] = [door === 'warrenmq' ? 'index' : basename(door), 'rolldown-runtime']
  const loaded = files.map((file) => basename(file, '.js')).filter((name) => ![own, runtime].includes(name))
  if (loaded.toSorted().join(' ') !== rooms) throw new Error(`${door} loads ${loaded.toSorted().join(' ')}.`)
}

function checkTypes(project, names, options) {
  const program = ts.createProgram(
    names.map((name) => join(project, name)),
    {
      target: ts.ScriptTarget.ES2023,
      strict: true,
      exactOptionalPropertyTypes: true,
      noEmit: true,
      types: ['node'],
      typeRoots: [join(process.cwd(), 'node_modules/@types')],
      ...options,
    },
  )
  const [problem] = ts.getPreEmitDiagnostics(program)
  if (problem) throw new Error(ts.formatDiagnostic(problem, formatHost))
}

/** The whole story, from the command as it was installed. */
function useCommand(tarballs) {
  const project = createProject('operator', tarballs)
  const installed = listInstalled(project)
  console.log(`The command brings ${installed.length} packages along, itself and the library among them.`)
  if (installed.length > mostCliPackages)
    throw new Error(`The command brings ${installed.length} packages along; ${mostCliPackages} are the most.`)
  const main = join(project, 'node_modules/@warrenmq/cli/dist/main.js')
  refuseMapsToNowhere(join(project, 'node_modules/@warrenmq/cli'))
  refuseWithoutNotices(join(project, 'node_modules/@warrenmq/cli/dist/console/NOTICES.txt'))
  for (const node of nodes) {
    const { addsUp, equation } = JSON.parse(read(node, [main, 'demo', '--json'], project, 'ignore'))
    if (!addsUp) throw new Error(`The demo does not add up: ${equation}`)
    console.log(`Node ${read(node, ['--version']).trim()}: the command works; the demo says ${equation}.`)
  }
  const said = read('npx', ['--no-install', 'warren', '--version'], project).trim()
  if (said !== version) throw new Error(`warren --version says "${said}", the package is ${version}.`)
}

/** What is bundled into the console comes with its licence. */
function refuseWithoutNotices(file) {
  const notices = readFileSync(file, 'utf8')
  const { dependencies } = JSON.parse(readFileSync('packages/console/package.json', 'utf8'))
  const missing = Object.entries(dependencies).filter(
    ([name, bundled]) => !notices.includes(`\n${name} ${bundled} (`),
  )
  if (missing.length > 0) throw new Error(`${file} has no licence of ${missing.map(([name]) => name)}.`)
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

function run(command, args, cwd) {
  execFileSync(command, args, { cwd, stdio: 'inherit' })
}

function read(command, args, cwd, stderr = 'inherit') {
  return execFileSync(command, args, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', stderr],
    env: { ...process.env, AMQP_URL: '', MANAGEMENT_URL: '' },
  })
}
