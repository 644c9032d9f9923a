import { existsSync } from 'node:fs'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runCommand } from '../run-command.ts'
import { readOsRelease } from './machine.ts'

// A shell and the few tools that the start scripts call. With an empty status file apt takes no package
// for granted, so these are named; the rest comes with what rabbitmq-server depends on.
const packages = ['rabbitmq-server', 'base-files', 'dash', 'bash', 'coreutils', 'sed', 'grep']

/**
 * Downloads `rabbitmq-server` of another Debian suite with all it needs, and gives the paths of the
 * archives. Uses apt with lists, status and cache of its own; the machine's are not touched. Signatures are
 * checked with the machine's keys.
 */
export async function downloadPackages(order: { suite: string; directory: string }): Promise<string[]> {
  const { suite, directory } = order
  await mkdir(join(directory, 'lists/partial'), { recursive: true })
  await mkdir(join(directory, 'archives/partial'), { recursive: true })
  await writeFile(join(directory, 'status'), '')
  await writeFile(join(directory, 'sources.list'), await sourceLine(suite))

  const settings = privateSettings(directory)
  const environment = { env: { ...process.env, LC_ALL: 'C' }, timeoutMs: 600_000 }
  await runCommand('apt-get', [...settings, 'update'], environment)
  await runCommand('apt-get', [...settings, '--yes', '--download-only', 'install', ...packages], environment)

  const names = await readdir(join(directory, 'archives'))
  return names.filter((name) => name.endsWith('.deb')).map((name) => join(directory, 'archives', name))
}

function privateSettings(directory: string): string[] {
  const settings = {
    'Dir::Etc::sourcelist': join(directory, 'sources.list'),
    'Dir::Etc::sourceparts': '/dev/null',
    'Dir::State::lists': join(directory, 'lists'),
    'Dir::State::status': join(directory, 'status'),
    'Dir::Cache::archives': join(directory, 'archives'),
    'Dir::Cache::pkgcache': '',
    'Dir::Cache::srcpkgcache': '',
    'APT::Sandbox::User': 'root',
    'APT::Install-Recommends': 'false',
    'APT::Update::Error-Mode': 'any',
    // Sid's lists expire within a week, and a mirror that lags behind still serves a broker to test with.
    // Who signed them is checked all the same.
    'Acquire::Check-Valid-Until': 'false',
    'Acquire::Languages': 'none',
    'Acquire::Retries': '3',
  }
  return ['-q', ...Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`])]
}

const debianKeys = '/usr/share/keyrings/debian-archive-keyring.gpg'

async function sourceLine(suite: string): Promise<string> {
  const keys = existsSync(debianKeys) ? `[signed-by=${debianKeys}] ` : ''
  return `deb ${keys}${await findMirror()} ${suite} main\n`
}

/** The address from which this machine takes its own release: a Debian mirror carries every suite. */
async function findMirror(): Promise<string> {
  const codename = readOsRelease().get('VERSION_CODENAME')
  const format = '$(RELEASE) $(REPO_URI)'
  const targets = await runCommand('apt-get', ['indextargets', '--format', format, 'Created-By: Packages'])
  const rows = targets.split('\n').map((line) => line.split(' '))
  const mirror = rows.find(([release]) => release === codename)?.[1]
  if (!mirror) throw new Error(`The apt sources of this machine name no mirror for "${codename}".`)
  return mirror
}
