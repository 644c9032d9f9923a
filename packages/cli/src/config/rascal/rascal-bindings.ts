import type { LiveTopology } from 'warrenmq/operations'
import {
  asSettings,
  namedMembers,
  type RascalVhost,
  type Settings,
  textOf,
  withDefaults,
} from './rascal-vhost.ts'

type LiveBinding = LiveTopology['bindings'][number]

const baseline: Settings = { destinationType: 'queue', bindingKey: '#' }

/** `events[order.placed, order.paid] -> orders` */
const written = /^([\w:.-]+)\s*(?:\[\s*(.*)\s*\])?\s*->\s*([\w:.-]+)/

/** The bindings that rascal makes: one for each key. */
export function readRascalBindings(
  vhost: RascalVhost,
  qualify: (name: string, kind: 'exchange' | 'queue') => string,
): readonly LiveBinding[] {
  const defaults = withDefaults(vhost.defaultsOf('bindings'), baseline)
  return namedMembers(vhost.settings.bindings).flatMap(([name, own]) => {
    const [, source, keys, destination] = written.exec(name.trim()) ?? []
    const binding = withDefaults(own, {
      ...(source ? { source } : {}),
      ...(destination ? { destination } : {}),
    })
    const { destinationType, qualifyBindingKeys, options } = withDefaults(binding, defaults)
    const kind = destinationType === 'exchange' ? 'exchange' : 'queue'
    return keysOf(own, keys, defaults).map((key) => ({
      source: qualify(textOf(binding.source) ?? '', 'exchange'),
      destination: qualify(textOf(binding.destination) ?? '', kind),
      destinationType: kind,
      key: qualifyBindingKeys === true && vhost.namespace ? `${vhost.namespace}:${key}` : key,
      arguments: asSettings(options) as LiveBinding['arguments'],
    }))
  })
}

function keysOf(own: Settings, inName: string | undefined, defaults: Settings): readonly string[] {
  const said = [own.bindingKeys, own.bindingKey, inName?.split(/[,\s]+/)].flat()
  const keys = [...new Set(said.filter((key): key is string => typeof key === 'string' && key !== ''))]
  return keys.length > 0 ? keys : [textOf(defaults.bindingKey) ?? '#']
}
