// Gives the program of another Node, which is fetched once from the npm registry into the cache that the tests have for
// RabbitMQ too. It is no dependency: nobody who installs Warren gets it.
//   node scripts/fetch-node.mjs [22 24 …]   prints their programs, one per line; without a name those of all others
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

/** The lines of Node that Warren supports; what runs this program is one of them. */
export const supportedNodes = ['20', '22', '24', '26']

if (import.meta.filename === process.argv[1]) {
  const named = process.argv.slice(2)
  for (const major of named.length > 0 ? named : otherNodes()) console.log(fetchNode(major))
}

/** Those that need to be fetched: all but the one that runs this. */
export function otherNodes() {
  return supportedNodes.filter((major) => major !== process.versions.node.split('.')[0])
}

/** The newest release of a line. To have a newer one, remove the cached folder. */
export function fetchNode(major) {
  const folder = join(cacheDirectory(), `${major}-${process.arch}`)
  const program = join(folder, 'bin', 'node')
  if (!existsSync(program)) unpack({ name: `node-linux-${process.arch}@${major}`, folder })
  return program
}

function cacheDirectory() {
  const { WARREN_BROKER_CACHE: brokers, XDG_CACHE_HOME: base } = process.env
  return brokers ? join(brokers, 'node') : join(base || join(homedir(), '.cache'), 'warrenmq', 'node')
}

/** Beside its place and moved there in one step: a run that is cut short leaves nothing that looks whole. */
function unpack({ name, folder }) {
  mkdirSync(cacheDirectory(), { recursive: true })
  const workshop = mkdtempSync(`${folder}.unfinished-`)
  try {
    execFileSync('npm', ['pack', '--silent', '--pack-destination', workshop, name], { stdio: 'pipe' })
    const [tarball] = readdirSync(workshop)
    execFileSync('tar', ['-xzf', join(workshop, tarball), '-C', workshop])
    moveUnlessThere(join(workshop, 'package'), folder)
  } finally {
    rmSync(workshop, { recursive: true, force: true })
  }
}

function moveUnlessThere(from, to) {
  try {
    renameSync(from, to)
  } catch (error) {
    // Another run was faster.
    if (!existsSync(join(to, 'bin', 'node'))) throw error
  }
}
