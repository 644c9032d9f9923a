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

/** Gives the file to run. `patches`: planted bugs, as replacements in the library's sources; each must be found. */
export async function buildSim({ name = 'sound', patches: bugs = [] } = {}) {
  const patches = [...perProcess, ...bugs]
  const outDir = join(root, '.cache/sim', name)
  const applied = new Set()
  await build({
    configFile: false,
    root,
    logLevel: 'error',
    plugins: [
      {
        name: 'plant-bugs',
        enforce: 'pre',
        transform(code, id) {
          let changed = code
          for (const patch of patches) {
            if (!id.endsWith(`packages/warrenmq/src/${patch.file}`)) continue
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
