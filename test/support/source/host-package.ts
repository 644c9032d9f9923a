import { existsSync, readdirSync } from 'node:fs'
import { chmod, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type CommandOptions, runCommand } from '../run-command.ts'
import { isOfVersion, type PackageSource } from './broker-source.ts'
import { withFileLock } from './file-lock.ts'

/** The package under `root`, or undefined when there is none. */
export function findPackage(root: string): PackageSource | undefined {
  const libraries = join(root, '/usr/lib/rabbitmq/lib')
  if (!existsSync(libraries) || !existsSync(join(root, '/usr/lib/rabbitmq/bin/rabbitmq-server')))
    return undefined
  const folder = readdirSync(libraries).find((name) => name.startsWith('rabbitmq_server-'))
  if (!folder) return undefined
  return { kind: root === '' ? 'host' : 'root', root, version: folder.slice('rabbitmq_server-'.length) }
}

/**
 * Installs `rabbitmq-server` by apt-get if the machine's archive has the wanted version. The service that
 * the package would start is kept down: the tests start nodes of their own.
 */
export async function installPackage(wanted: string | undefined): Promise<PackageSource | undefined> {
  return withFileLock(join(tmpdir(), 'warrenmq-apt.lock'), async () => {
    const found = findPackage('')
    if (found) return found
    if (!(await candidateIsWanted(wanted))) {
      await aptGet('update')
      if (!(await candidateIsWanted(wanted))) return undefined
    }
    await withoutStartingServices(installFromFreshLists)
    return findPackage('')
  })
}

async function installFromFreshLists(): Promise<void> {
  const install = ['install', '--yes', '--no-install-recommends', 'rabbitmq-server', 'openssl']
  try {
    await aptGet(...install)
  } catch {
    // Lists from an old image name files that the mirror no longer has.
    await aptGet('update')
    await aptGet(...install)
  }
}

async function candidateIsWanted(wanted: string | undefined): Promise<boolean> {
  const policy = await runCommand('apt-cache', ['policy', 'rabbitmq-server'], englishAndQuiet)
  const candidate = /Candidate: (?:\d+:)?(\d+(?:\.\d+)*)/.exec(policy)?.[1]
  return candidate !== undefined && (wanted === undefined || isOfVersion(candidate, wanted))
}

async function aptGet(...args: string[]): Promise<void> {
  const patient = ['-q', '-o', 'DPkg::Lock::Timeout=300', '-o', 'Acquire::Retries=3']
  await runCommand('apt-get', [...patient, ...args], { ...englishAndQuiet, timeoutMs: 600_000 })
}

const englishAndQuiet: CommandOptions = {
  env: { ...process.env, LC_ALL: 'C', DEBIAN_FRONTEND: 'noninteractive' },
}

const policyFile = '/usr/sbin/policy-rc.d'

async function withoutStartingServices(work: () => Promise<void>): Promise<void> {
  // A machine that has a policy of its own keeps it; containers usually do, and it says the same.
  if (existsSync(policyFile)) return work()
  await writeFile(policyFile, '#!/bin/sh\nexit 101\n')
  await chmod(policyFile, 0o755)
  try {
    await work()
  } finally {
    await rm(policyFile, { force: true })
  }
}
