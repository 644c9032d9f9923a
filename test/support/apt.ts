import { existsSync } from 'node:fs'
import { chmod, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type CommandOptions, runCommand } from './run-command.ts'
import { withFileLock } from './source/file-lock.ts'

/** Debian's package tools, for one process at a time: there is one apt and one policy file. */
export function withApt<Result>(work: () => Promise<Result>): Promise<Result> {
  return withFileLock(join(tmpdir(), 'warrenmq-apt.lock'), work)
}

/** Installs packages. The services that they would start are kept down: the tests start servers of their own. */
export function installByApt(...packages: string[]): Promise<void> {
  const install = ['install', '--yes', '--no-install-recommends', ...packages]
  return withoutStartingServices(async () => {
    try {
      await aptGet(...install)
    } catch {
      // Lists from an old image name files that the mirror no longer has.
      await updateAptLists()
      await aptGet(...install)
    }
  })
}

export function updateAptLists(): Promise<void> {
  return aptGet('update')
}

/** What apt would install. */
export function readAptPolicy(name: string): Promise<string> {
  return runCommand('apt-cache', ['policy', name], englishAndQuiet)
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
