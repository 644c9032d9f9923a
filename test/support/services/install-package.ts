import { existsSync } from 'node:fs'
import { chmod, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCommand } from '../run-command.ts'
import { withFileLock } from '../source/file-lock.ts'

/**
 * Installs a Debian package by apt-get, unless another process has done so meanwhile. The service that the
 * package would start is kept down: the tests start servers of their own.
 */
export async function installPackage(name: string, isThere: () => boolean): Promise<void> {
  // The lock of RabbitMQ's package too: there is one apt and one policy file.
  await withFileLock(join(tmpdir(), 'warrenmq-apt.lock'), async () => {
    if (!isThere()) await withoutStartingServices(() => installFromFreshLists(name))
  })
}

async function installFromFreshLists(name: string): Promise<void> {
  const install = ['install', '--yes', '--no-install-recommends', name]
  try {
    await aptGet(...install)
  } catch {
    // Lists from an old image name files that the mirror no longer has.
    await aptGet('update')
    await aptGet(...install)
  }
}

async function aptGet(...args: string[]): Promise<void> {
  const patient = ['-q', '-o', 'DPkg::Lock::Timeout=300', '-o', 'Acquire::Retries=3']
  const env = { ...process.env, LC_ALL: 'C', DEBIAN_FRONTEND: 'noninteractive' }
  await runCommand('apt-get', [...patient, ...args], { env, timeoutMs: 600_000 })
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
