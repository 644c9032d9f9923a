import { ConfigError } from 'warrenmq/operations'

export type Settings = Readonly<Record<string, unknown>>

/** One vhost of a rascal config, with what was said outside of it. */
export interface RascalVhost {
  readonly name: string
  /** Without the namespace that is prefixed to names. */
  readonly settings: Settings
  readonly namespace: string | undefined
  /** The namespace is another one at each start, so that no name is known. */
  readonly isNamespaceRandom: boolean
  /** Of the whole file. */
  readonly config: Settings
  defaultsOf(kind: 'exchanges' | 'queues' | 'bindings' | 'publications' | 'subscriptions'): Settings
}

/** The vhost that is meant: the one that is named, or the only one. */
export function chooseVhost(file: string, value: unknown, wanted: string | undefined): RascalVhost {
  const config = unwrap(value)
  const vhosts = asSettings(config.vhosts)
  const names = Object.keys(vhosts)
  if (names.length === 0) {
    throw unreadable(
      file,
      `${file} is not a rascal config: it has no "vhosts". A config that is a program can be written as JSON first.`,
    )
  }
  const name = wanted ?? (names.length === 1 ? names[0]! : undefined)
  if (name === undefined || !Object.hasOwn(vhosts, name)) {
    const known = names.map((each) => `"${each}"`).join(', ')
    const problem = wanted === undefined ? 'has several vhosts' : `has no vhost "${wanted}"`
    throw unreadable(file, `${file} ${problem}. Name one with --vhost: ${known}.`)
  }
  const settings = asSettings(vhosts[name])
  const defaults = asSettings(config.defaults)
  const ofVhosts = withDefaults(asSettings(settings.defaults), asSettings(defaults.vhosts))
  const namespace = settings.namespace ?? ofVhosts.namespace
  return {
    name,
    settings,
    namespace: typeof namespace === 'string' ? namespace : undefined,
    isNamespaceRandom: namespace === true,
    config,
    defaultsOf: (kind) =>
      asSettings((kind === 'publications' || kind === 'subscriptions' ? defaults : ofVhosts)[kind]),
  }
}

/** Applications often keep it under a name of its own, beside their other settings. */
function unwrap(value: unknown): Settings {
  const config = asSettings(value)
  return config.vhosts === undefined && isSettings(config.rascal) ? config.rascal : config
}

function unreadable(file: string, message: string): ConfigError {
  return new ConfigError({ code: 'CONFIG_UNREADABLE', file, message })
}

/** The members of a list or an object, each with its name. */
export function namedMembers(collection: unknown): readonly (readonly [string, Settings])[] {
  if (!Array.isArray(collection)) {
    return Object.entries(asSettings(collection)).map(([name, value]) => [name, asSettings(value)] as const)
  }
  return collection.flatMap((item: unknown): (readonly [string, Settings])[] => {
    if (typeof item === 'string') return [[item, {}]]
    return isSettings(item) && typeof item.name === 'string' ? [[item.name, item]] : []
  })
}

/** What is said, and what the defaults say where nothing is; tables are merged. */
export function withDefaults(settings: Settings, defaults: Settings): Settings {
  const merged = Object.entries(defaults).map(([name, value]) => {
    const own = settings[name]
    return [name, isSettings(own) && isSettings(value) ? withDefaults(own, value) : (own ?? value)]
  })
  return { ...settings, ...Object.fromEntries(merged) }
}

export function asSettings(value: unknown): Settings {
  return isSettings(value) ? value : {}
}

export function isSettings(value: unknown): value is Settings {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
