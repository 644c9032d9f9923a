import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { brotliCompressSync, gzipSync, constants as zlib } from 'node:zlib'
import { build } from 'vite'
import { writeNotices } from './write-notices.mjs'

const digestFile = '.cache/build/console.sha256'

/** Builds the console, unless what is there was made of the very same files. */
export async function buildConsole({ sources, output }) {
  const digest = digestOf([...filesIn(sources), 'package-lock.json', 'scripts/build-console.mjs'])
  if (existsSync(join(output, 'index.html')) && readOrNothing(digestFile) === digest) return
  const bundled = new Set()
  await build({
    root: sources,
    logLevel: 'warn',
    plugins: [collectPackages(bundled)],
    build: {
      outDir: join(process.cwd(), output),
      emptyOutDir: true,
      rolldownOptions: { checks: { pluginTimings: false } },
    },
  })
  writeNotices({ packages: bundled, file: join(output, 'NOTICES.txt') })
  for (const file of filesIn(join(output, 'assets'))) compress(file)
  mkdirSync(dirname(digestFile), { recursive: true })
  writeFileSync(digestFile, digest)
}

/** Notes the folder of every package of which something is in the bundle. */
function collectPackages(folders) {
  return {
    name: 'collect-packages',
    generateBundle(_options, bundle) {
      for (const { modules = {} } of Object.values(bundle))
        for (const id of Object.keys(modules)) {
          const folder = /^\0?(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id)?.[1]
          if (folder) folders.add(folder)
        }
    },
  }
}

/** What is served is compressed once, here, and as well as it can be. */
function compress(file) {
  const content = readFileSync(file)
  const best = { params: { [zlib.BROTLI_PARAM_QUALITY]: zlib.BROTLI_MAX_QUALITY } }
  writeFileSync(`${file}.br`, brotliCompressSync(content, best))
  writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }))
}

function digestOf(files) {
  const hash = createHash('sha256')
  for (const file of files.toSorted()) hash.update(`${file}\0`).update(readFileSync(file)).update('\0')
  return hash.digest('hex')
}

function filesIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('node_modules'))
    .map(({ parentPath, name }) => join(parentPath, name))
}

function readOrNothing(file) {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined
}
