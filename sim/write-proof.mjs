// Writes docs/proof.md from the results of real runs. With --check it writes nothing, and fails if the page is not current.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { renderProof } from './proof/render-proof.mjs'

const root = join(import.meta.dirname, '..')
const read = (name) => JSON.parse(readFileSync(join(root, 'sim/results', name), 'utf8'))
const page = join(root, 'docs/proof.md')
const text = renderProof({ seeds: read('seeds.json'), bugs: read('bugs.json'), finds: read('finds.json') })

if (!process.argv.includes('--check')) writeFileSync(page, text)
else if (readFileSync(page, 'utf8') !== text) {
  console.error('docs/proof.md is not what sim/results says. Run `npm run proof`.')
  process.exitCode = 1
}
