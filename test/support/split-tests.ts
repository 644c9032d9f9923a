import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The test files of a folder. What a file imports tells which they are, so that there is no list to keep. */
export interface SplitTests {
  /** Need no RabbitMQ: they run on the embedded broker, on a scripted server or on none, and the same for every version. */
  readonly embedded: string[]
  readonly onRabbit: string[]
}

export function splitTests(folder: string): SplitTests {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => join(folder, name))
  return {
    embedded: files.filter((file) => !reachesRabbit(file)),
    onRabbit: files.filter((file) => reachesRabbit(file)),
  }
}

// Whoever uses the broker of the run, or looks for a RabbitMQ to start, comes through one of these.
const doorsToRabbit = ['test/support/shared-broker.ts', 'test/support/source/find-broker-source.ts']

function reachesRabbit(file: string, seen = new Set<string>()): boolean {
  if (doorsToRabbit.includes(file)) return true
  if (seen.has(file)) return false
  seen.add(file)
  return importsOf(file).some((imported) => reachesRabbit(imported, seen))
}

const importStatement = /^(?:import|export) (?!type )(?:[^'"]*?from )?'(\.[^']+)'|\bimport\('(\.[^']+)'\)/gm
const knownImports = new Map<string, readonly string[]>()

/** The files of the tests that a file imports. A type brings no code, and the product's code knows no test. */
function importsOf(file: string): readonly string[] {
  const known = knownImports.get(file)
  if (known) return known
  const statements = readFileSync(file, 'utf8').matchAll(importStatement)
  const found = [...statements]
    .map(([, from, called]) => join(dirname(file), (from ?? called)!))
    .filter((path) => path.startsWith('test/') && existsSync(path))
  knownImports.set(file, found)
  return found
}
