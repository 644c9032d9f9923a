import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { installByApt, readAptPolicy, updateAptLists, withApt } from '../apt.ts'
import { isOfVersion, type PackageSource } from './broker-source.ts'

/** The package under `root`, or undefined when there is none. */
export function findPackage(root: string): PackageSource | undefined {
  const libraries = join(root, '/usr/lib/rabbitmq/lib')
  if (!existsSync(libraries) || !existsSync(join(root, '/usr/lib/rabbitmq/bin/rabbitmq-server')))
    return undefined
  const folder = readdirSync(libraries).find((name) => name.startsWith('rabbitmq_server-'))
  if (!folder) return undefined
  return { kind: root === '' ? 'host' : 'root', root, version: folder.slice('rabbitmq_server-'.length) }
}

/** Installs `rabbitmq-server` by apt-get if the machine's archive has the wanted version. */
export async function installPackage(wanted: string | undefined): Promise<PackageSource | undefined> {
  return withApt(async () => {
    const found = findPackage('')
    if (found) return found
    if (!(await candidateIsWanted(wanted))) {
      await updateAptLists()
      if (!(await candidateIsWanted(wanted))) return undefined
    }
    await installByApt('rabbitmq-server', 'openssl')
    return findPackage('')
  })
}

async function candidateIsWanted(wanted: string | undefined): Promise<boolean> {
  const policy = await readAptPolicy('rabbitmq-server')
  const candidate = /Candidate: (?:\d+:)?(\d+(?:\.\d+)*)/.exec(policy)?.[1]
  return candidate !== undefined && (wanted === undefined || isOfVersion(candidate, wanted))
}
