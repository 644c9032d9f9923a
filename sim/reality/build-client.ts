// Bundles the actors with the library's sources: a process of them that is killed is soon back.
import { join } from 'node:path'
import { build } from 'vite'

const root = join(import.meta.dirname, '../..')

/** Writes it into this folder, since another campaign may build at the same time, and gives the file to run. */
export async function buildClient(outDir: string, entry: string, name: string): Promise<string> {
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
    build: {
      ssr: entry,
      outDir,
      emptyOutDir: false,
      minify: false,
      target: 'node20',
      rollupOptions: { output: { entryFileNames: name, codeSplitting: false } },
    },
    ssr: { noExternal: true },
  })
  return join(outDir, name)
}
