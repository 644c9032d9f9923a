// Bundles the simulation with the library's sources: quick to load, and with a planted bug when it is told one.
import { join } from 'node:path'
import { build } from 'vite'

const root = join(import.meta.dirname, '..')

/** What each process has of its own, where all of them share one copy of the library. */
const perProcess = [
  {
    file: 'consumer/run/solitude.ts',
    find: 'export const processSolitude: Solitude = createSolitude()',
    replace:
      "export const processSolitude = { join: (wake) => globalThis.ownOfProcess('solitude', createSolitude).join(wake) }",
  },
]

const world = join(root, 'packages/warrenmq/src/world.ts')
/** What the servers take from Node, as the world has it. They need no seam of their own for that. */
const ofTheWorld = [
  [/import \{ randomUUID \} from 'node:crypto'/, `import { randomUUID } from '${world}'`],
  [
    /import \{ createHmac, randomUUID, timingSafeEqual \} from 'node:crypto'/,
    `import { randomUUID } from '${world}'\nimport { createHmac, timingSafeEqual } from 'node:crypto'`,
  ],
  [/import \{ hostname \} from 'node:os'/, `import { hostname } from '${world}'`],
  [/\bDate\.now\(\)/g, 'dateNow()'],
  [/\bnew Date\(\)/g, 'new Date(dateNow())'],
]
const timers = ['clearInterval', 'clearTimeout', 'dateNow', 'setInterval', 'setTimeout']
const notOfTheWorld = /Math\.random|node:timers|node:fs\/promises|node:net'/

/** Moves a file of the server into the world; the library has its seam. */
function enterWorld(code, id) {
  const moved = ofTheWorld.reduce((text, [find, replace]) => text.replace(find, () => replace), code)
  const found = notOfTheWorld.exec(moved)
  if (found) throw new Error(`${id} uses ${found[0]}, which the simulation has no world for`)
  return `import { ${timers.join(', ')} } from '${world}'\n${moved}`
}

/** Gives the file to run. `patches`: planted bugs, as replacements in the library's sources; each must be found. */
export async function buildSim({ name = 'sound', patches: bugs = [] } = {}) {
  const patches = [...perProcess, ...bugs]
  const outDir = join(root, '.cache/sim', name)
  const applied = new Set()
  await build({
    configFile: false,
    root,
    logLevel: 'error',
    resolve: {
      alias: [
        { find: /^warrenmq$/, replacement: join(root, 'packages/warrenmq/src/index.ts') },
        { find: /^warrenmq\/operations$/, replacement: join(root, 'packages/warrenmq/src/operations.ts') },
      ],
    },
    plugins: [
      {
        name: 'plant-bugs',
        enforce: 'pre',
        transform(code, id) {
          let changed = id.includes('/packages/cli/src/') ? enterWorld(code, id) : code
          for (const patch of patches) {
            if (
              !id.endsWith(
                patch.file.startsWith('packages/') ? patch.file : `packages/warrenmq/src/${patch.file}`,
              )
            )
              continue
            if (!changed.includes(patch.find))
              throw new Error(`${patch.file} has no "${patch.find}" any more`)
            changed = changed.replace(patch.find, () => patch.replace)
            applied.add(patch)
          }
          return changed === code ? undefined : { code: changed, map: null }
        },
      },
    ],
    build: {
      ssr: 'sim/main.ts',
      outDir,
      emptyOutDir: true,
      minify: false,
      target: 'node20',
      rollupOptions: { output: { entryFileNames: 'main.mjs', codeSplitting: false } },
    },
    ssr: { noExternal: true },
  })
  for (const patch of patches)
    if (!applied.has(patch)) throw new Error(`${patch.file} is not part of the simulation`)
  return join(outDir, 'main.mjs')
}
