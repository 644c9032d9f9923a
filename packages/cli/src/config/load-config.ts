import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { extname, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { TopologyError, type TopologyMistake } from 'warrenmq'
import { ConfigError, readTopology, type TopologyDeclaration } from 'warrenmq/operations'
import { parseDocument } from 'yaml'
import { reasonOf } from '../output/reason-of.ts'
import { isTooDeep, isYamlTooDeep, tooDeep } from './is-too-deep.ts'

/** The names that are looked for, in this order. */
export const configNames: readonly string[] = [
  'warren.config.ts',
  'warren.config.js',
  'warren.config.mjs',
  'warren.config.json',
  'warren.config.yaml',
  'warren.config.yml',
]

export interface LoadedConfig {
  /** As a person would name it: relative to where they are. */
  readonly file: string
  readonly topology: TopologyDeclaration
}

/** Finds, reads and validates the configuration. Every way this can fail is one ConfigError with a way out. */
export async function loadConfig(
  options: Readonly<Record<string, unknown>>,
  folder: string = process.cwd(),
): Promise<LoadedConfig> {
  const path = findConfig(typeof options.config === 'string' ? options.config : undefined, folder)
  const file = relative(folder, path) || path
  return { file, topology: await readConfig(path, file) }
}

/** The topology of the config, if there is one; a config that was named must be there. */
export async function findDeclaration(
  options: Readonly<Record<string, unknown>>,
): Promise<TopologyDeclaration | undefined> {
  try {
    return (await loadConfig(options)).topology
  } catch (error) {
    const isAbsent = options.config === undefined && (error as { code?: string }).code === 'CONFIG_NOT_FOUND'
    if (isAbsent) return undefined
    throw error
  }
}

function findConfig(named: string | undefined, folder: string): string {
  const found = (named === undefined ? configNames : [named])
    .map((name) => resolve(folder, name))
    .find((path) => existsSync(path))
  if (found !== undefined) return found
  throw new ConfigError({
    code: 'CONFIG_NOT_FOUND',
    file: named ?? 'warren.config.ts',
    message:
      named === undefined
        ? 'There is no warren.config.ts (nor .js, .mjs, .json, .yaml) here. Write one with `warren init`, or name one with --config.'
        : `There is no file ${named}. Write it with \`warren init --config ${named}\`, or name another with --config.`,
  })
}

async function readConfig(path: string, file: string): Promise<TopologyDeclaration> {
  try {
    return readTopology(withQueues(await readers[readerFor(path, file)](path, file)))
  } catch (error) {
    throw explain(error, file)
  }
}

/** Who only recovers dead letters declares no queue. */
function withQueues(value: unknown): unknown {
  const isRecovery =
    typeof value === 'object' && value !== null && 'recovery' in value && !('queues' in value)
  return isRecovery ? { queues: {}, ...value } : value
}

const readers = { module: readModule, data: readData } as const

function readerFor(path: string, file: string): keyof typeof readers {
  const extension = extname(path)
  if (/^\.[cm]?[jt]s$/.test(extension)) return 'module'
  if (/^\.(json|ya?ml)$/.test(extension)) return 'data'
  throw new ConfigError({
    code: 'CONFIG_UNREADABLE',
    file,
    message: `${file} ends in "${extension}", which is not a known format; name it .ts, .js, .mjs, .json or .yaml.`,
  })
}

async function readData(path: string, file: string): Promise<unknown> {
  const text = await readFile(path, 'utf8')
  const value = (extname(path) === '.json' ? tryJson(text) : undefined) ?? readYaml(text, file)
  if (isTooDeep(value)) throw unreadable(file, `${tooDeep}.`)
  return value
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Also for JSON with a slip in it: YAML has nearly all of JSON, and says line and column. */
function readYaml(text: string, file: string): unknown {
  if (isYamlTooDeep(text)) throw unreadable(file, `${tooDeep}.`)
  const document = parseDocument(text, { prettyErrors: true, merge: true })
  const [slip] = document.errors
  if (slip === undefined) return document.toJS()
  throw unreadable(file, firstLine(slip.message))
}

function unreadable(file: string, problem: string): ConfigError {
  return new ConfigError({ code: 'CONFIG_UNREADABLE', file, message: `${file} cannot be read: ${problem}` })
}

/** The lines below it are a picture of the place, which the first line names already. */
function firstLine(text: string): string {
  return (text.split('\n')[0] ?? text).replace(/:$/, '.')
}

async function readModule(path: string, file: string): Promise<unknown> {
  // The package that runs is the one that the file imports, also where it is installed globally or not at all.
  const ourselves = await import('warrenmq')
  const { createJiti } = await import('jiti')
  const jiti = createJiti(pathToFileURL(path).href, {
    virtualModules: { warrenmq: ourselves },
    // Otherwise a file without a default export passes itself off as one.
    interopDefault: false,
  })
  const module = await jiti.import<{ default?: unknown }>(path)
  if (module.default !== undefined) return module.default
  throw new ConfigError({
    code: 'CONFIG_INVALID',
    file,
    message: `${file} has no default export; write \`export default defineTopology({ … })\`.`,
  })
}

function explain(error: unknown, file: string): unknown {
  if (error instanceof ConfigError) return error
  if (error instanceof TopologyError) return invalid(error.mistakes, file)
  const message = `${file} cannot be read: ${reasonOf(error).replace(/\s+/g, ' ').trim()}`
  return new ConfigError({ code: 'CONFIG_UNREADABLE', file, message }, { cause: error })
}

function invalid(mistakes: readonly TopologyMistake[], file: string): ConfigError {
  const lines = mistakes.map(({ path, problem }) => `  ${path === '' ? file : path}: ${problem}`)
  const count = mistakes.length === 1 ? 'one mistake' : `${mistakes.length} mistakes`
  const message = [`${file} has ${count}:`, ...lines].join('\n')
  return new ConfigError({ code: 'CONFIG_INVALID', file, message })
}
