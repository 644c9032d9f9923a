import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** Removes what an earlier build left of sources that are gone. All else stays: a build without a change writes nothing. */
export function pruneOutput({ output, sources, except }) {
  const built = existsSync(output) ? readdirSync(output, { recursive: true, encoding: 'utf8' }) : []
  for (const file of built) {
    if (except && file.startsWith(except)) continue
    const source = file.replace(/(\.d\.ts|\.js)$/, '.ts')
    if (/\.ts$/.test(source) && !existsSync(join(sources, source))) rmSync(join(output, file))
  }
}
