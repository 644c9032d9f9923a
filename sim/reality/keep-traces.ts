import { cpSync, existsSync, mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import type { MortalBroker } from './mortal-broker.ts'

/** What the actors wrote down and what the nodes logged, for whoever has to find out why a promise was broken. */
export function keepTraces(folder: string, { directories }: Pick<MortalBroker, 'directories'>): void {
  const kept = join(tmpdir(), `warren-reality-broken-${process.pid}`, basename(folder))
  mkdirSync(kept, { recursive: true })
  cpSync(folder, join(kept, 'actors'), { recursive: true })
  for (const [index, directory] of directories.entries())
    for (const part of ['log', 'output.log'].filter((each) => existsSync(join(directory, each))))
      cpSync(join(directory, part), join(kept, `node-${index + 1}`, part), { recursive: true })
  console.error(`What happened is kept in ${kept}.`)
}
