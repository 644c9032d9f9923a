// Removes what an earlier build left of sources that are gone. All else stays: a build without a change writes
// nothing, so that tests which run the built command are not disturbed by another run that builds.
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const built = existsSync('dist') ? readdirSync('dist', { recursive: true, encoding: 'utf8' }) : []
for (const file of built) {
  const source = file.replace(/(\.d\.ts|\.js)$/, '.ts').replace(/^cjs\//, '')
  if (/\.ts$/.test(source) && !existsSync(join('src', source))) rmSync(join('dist', file))
}
