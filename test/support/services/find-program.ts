import { existsSync, readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { hasApt, isRoot } from '../source/machine.ts'
import { installPackage } from './install-package.ts'
import { ServiceUnavailableError } from './service-unavailable-error.ts'

export interface Program {
  readonly name: string
  /** Debian's package that has it. */
  readonly debianPackage: string
  /** Where it may be besides the PATH; a `*` stands for any name. */
  readonly folders?: readonly string[]
}

/** The path of a program. On Debian and Ubuntu, as root, one that is missing is installed by apt-get. */
export async function findProgram(program: Program): Promise<string> {
  const found = lookFor(program)
  if (found !== undefined) return found
  if (hasApt() && isRoot()) await installPackage(program.debianPackage, () => lookFor(program) !== undefined)
  const installed = lookFor(program)
  if (installed !== undefined) return installed
  throw new ServiceUnavailableError(
    `No ${program.name} can be had here: run as root on Debian, or install ${program.debianPackage}.`,
  )
}

function lookFor({ name, folders = [] }: Program): string | undefined {
  const paths = [...(process.env.PATH ?? '').split(delimiter), ...folders.flatMap(expand)]
  return paths.map((folder) => join(folder, name)).find((path) => existsSync(path))
}

/** Replaces the one `*` of a path by what is there, the newest version first. */
function expand(folder: string): readonly string[] {
  const [before, after] = folder.split('*')
  if (before === undefined || after === undefined) return [folder]
  if (!existsSync(before)) return []
  const versions = readdirSync(before).sort((left, right) => Number(right) - Number(left))
  return versions.map((version) => `${before}${version}${after}`)
}
