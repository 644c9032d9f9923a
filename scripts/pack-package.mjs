import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

/** Packs a built package into a directory: where the tarball is, and what npm says of it (`size`, `files` …). */
export function packPackage(folder, directory) {
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', directory]
  const [packed] = JSON.parse(execFileSync('npm', args, { cwd: folder, encoding: 'utf8' }))
  return { ...packed, tarball: join(directory, packed.filename) }
}
