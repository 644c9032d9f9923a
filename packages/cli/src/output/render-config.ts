import type { TopologyDeclaration } from 'warrenmq/operations'

const widest = 100

/** A topology as the source of a warren.config.ts, short things on one line. */
export function renderConfigModule(topology: TopologyDeclaration, comments: readonly string[] = []): string {
  return [
    "import { defineTopology } from 'warrenmq'",
    '',
    ...comments.map((line) => (line === '' ? '//' : `// ${line}`)),
    `export default defineTopology(${renderValue(topology, '')})`,
    '',
  ].join('\n')
}

function renderValue(value: unknown, indent: string, before = 0): string {
  const short = renderShort(value)
  const isTopLevel = indent === ''
  if (!isTopLevel && indent.length + before + short.length <= widest) return short
  const deeper = `${indent}  `
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]'
    return ['[', ...value.map((item) => `${deeper}${renderValue(item, deeper)},`), `${indent}]`].join('\n')
  }
  if (typeof value !== 'object' || value === null) return short
  const entries = Object.entries(value).filter(([, item]) => item !== undefined)
  if (entries.length === 0) return '{}'
  return [
    '{',
    ...entries.map(([name, item]) => {
      const key = renderKey(name)
      return `${deeper}${key}: ${renderValue(item, deeper, key.length + 3)},`
    }),
    `${indent}}`,
  ].join('\n')
}

function renderShort(value: unknown): string {
  if (typeof value === 'string') return renderText(value)
  if (Array.isArray(value)) return `[${value.map(renderShort).join(', ')}]`
  if (typeof value !== 'object' || value === null) return String(value)
  const entries = Object.entries(value).filter(([, item]) => item !== undefined)
  if (entries.length === 0) return '{}'
  return `{ ${entries.map(([name, item]) => `${renderKey(name)}: ${renderShort(item)}`).join(', ')} }`
}

function renderKey(name: string): string {
  // A plain `__proto__` key would set the prototype and declare nothing.
  if (name === '__proto__') return `['__proto__']`
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : renderText(name)
}

function renderText(text: string): string {
  const escaped = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")
  return `'${escaped}'`
}
