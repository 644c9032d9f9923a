// Packs the built package and looks at it as its users will: through publint, through attw, and from an
// empty project that installs it.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const { name, version } = JSON.parse(readFileSync('package.json', 'utf8'))
const directory = mkdtempSync(join(tmpdir(), 'warrenmq-package-'))
try {
  const tarball = pack()
  run('npx', ['publint', 'run', tarball, '--strict'])
  run('npx', ['attw', tarball, '--profile', 'esm-only'])
  useInEmptyProject(tarball)
} catch (error) {
  // The tool has said on the terminal what it found.
  console.error(error.message)
  process.exitCode = 1
} finally {
  rmSync(directory, { recursive: true, force: true })
}

function pack() {
  const [packed] = JSON.parse(
    read('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', directory]),
  )
  console.log(`${packed.filename}: ${packed.entryCount} files, ${Math.round(packed.unpackedSize / 1024)} KiB`)
  const strays = packed.files.map(({ path }) => path).filter((path) => /\.test\.|^test\/|^src\//.test(path))
  if (strays.length > 0) throw new Error(`The package carries what no user needs: ${strays.join(', ')}`)
  return join(directory, packed.filename)
}

function useInEmptyProject(tarball) {
  const project = join(directory, 'project')
  mkdirSync(project)
  writeFileSync(join(project, 'package.json'), '{ "name": "user", "private": true, "type": "module" }\n')
  run('npm', ['install', '--no-audit', '--no-fund', '--omit=dev', tarball], project)
  for (const entry of [name, `${name}/testing`]) {
    const script = `const names = Object.keys(await import('${entry}')); if (!names.length) throw new Error('${entry} exports nothing'); console.log('${entry}:', names.length, 'names')`
    run(process.execPath, ['--input-type=module', '--eval', script], project)
  }
  const said = read('npx', ['--no-install', 'warren', '--version'], project).trim()
  if (!said.includes(version)) throw new Error(`warren --version says "${said}", the package is ${version}.`)
  console.log(`warren --version: ${said}`)
}

function run(command, args, cwd) {
  execFileSync(command, args, { cwd, stdio: 'inherit' })
}

function read(command, args, cwd) {
  return execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
}
