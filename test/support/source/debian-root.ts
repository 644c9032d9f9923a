import { existsSync } from 'node:fs'
import { copyFile, mkdir, mkdtemp, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { runCommand } from '../run-command.ts'
import type { PackageSource } from './broker-source.ts'
import { withFileLock } from './file-lock.ts'
import { findPackage } from './host-package.ts'
import { downloadPackages } from './private-apt.ts'

/** The Debian suite that carries a version. Sid moves: what it holds now is read after unpacking. */
export const suiteOfVersion: Readonly<Record<string, string>> = {
  '3.10': 'bookworm',
  '4.0': 'trixie',
  '4.3': 'sid',
}

/** The cached root of a suite with `rabbitmq-server` in it; made on first use, in about half a minute. */
export async function unpackRoot(suite: string): Promise<PackageSource> {
  const root = join(cacheDirectory(), suite)
  return findPackage(root) ?? withFileLock(`${root}.lock`, () => findOrBuild({ suite, root }))
}

/** Where the roots are kept: WARREN_BROKER_CACHE, or the user's cache directory. Never the work tree. */
export function cacheDirectory(): string {
  const base = process.env.XDG_CACHE_HOME || join(homedir(), '.cache')
  return process.env.WARREN_BROKER_CACHE || join(base, 'warrenmq', 'rabbitmq')
}

async function findOrBuild({ suite, root }: { suite: string; root: string }): Promise<PackageSource> {
  const found = findPackage(root)
  if (found) return found
  // Built beside its place and moved there in one step: a run that is cut short leaves nothing that looks whole.
  await removeUnfinished(suite)
  const workshop = await mkdtemp(join(cacheDirectory(), `${suite}.unfinished-`))
  try {
    const unpacked = join(workshop, 'root')
    await build({ suite, root: unpacked, workshop })
    await rm(root, { recursive: true, force: true })
    await rename(unpacked, root)
  } finally {
    await rm(workshop, { recursive: true, force: true })
  }
  const built = findPackage(root)
  if (!built) throw new Error(`Debian ${suite} was unpacked into ${root}, but it holds no rabbitmq-server.`)
  return built
}

async function removeUnfinished(suite: string): Promise<void> {
  const names = await readdir(cacheDirectory())
  const unfinished = names.filter((name) => name.startsWith(`${suite}.unfinished-`))
  await Promise.all(
    unfinished.map((name) => rm(join(cacheDirectory(), name), { recursive: true, force: true })),
  )
}

async function build(place: { suite: string; root: string; workshop: string }): Promise<void> {
  const { suite, root, workshop } = place
  const archives = await downloadPackages({ suite, directory: join(workshop, 'apt') })
  await layOutMergedUsr(root)
  // No maintainer script runs: a node needs the files, not a configured system.
  const unpack =
    'for archive; do dpkg-deb --fsys-tarfile "$archive" | tar -x --keep-directory-symlink -C "$0"; done'
  await runCommand('sh', ['-ec', unpack, root, ...archives], { timeoutMs: 600_000 })
  await completeByHand(root)
}

async function layOutMergedUsr(root: string): Promise<void> {
  await mkdir(join(root, 'etc'), { recursive: true })
  for (const name of ['bin', 'sbin', 'lib', 'lib64']) {
    await mkdir(join(root, 'usr', name), { recursive: true })
    await symlink(`usr/${name}`, join(root, name))
  }
}

/** What maintainer scripts would have done and a node misses. */
async function completeByHand(root: string): Promise<void> {
  if (!existsSync(join(root, 'bin/sh'))) await symlink('dash', join(root, 'bin/sh'))
  for (const file of ['etc/passwd', 'etc/group']) await copyFile(join('/', file), join(root, file))
  // Without it the node cannot find localhost, the host part of its own name.
  await writeFile(join(root, 'etc/hosts'), '127.0.0.1 localhost\n::1 localhost\n')
  await mkdir(join(root, 'tmp'), { recursive: true, mode: 0o1777 })
  await makeDevices(join(root, 'dev'))
}

/** The devices that a node reads, for machines that allow chroot but no mount (an ordinary container). */
async function makeDevices(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true })
  const devices = [
    ['null', '3'],
    ['zero', '5'],
    ['random', '8'],
    ['urandom', '9'],
  ] as const
  for (const [name, minor] of devices) {
    const path = join(directory, name)
    if (existsSync(path)) continue
    await runCommand('mknod', ['-m', '666', path, 'c', '1', minor]).catch(() => undefined)
  }
}
