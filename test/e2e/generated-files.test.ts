import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { validateTopology } from '../../packages/warrenmq/src/topology/validate-topology.ts'

it('the JSON Schema, the diagrams of the documentation and the reports of the public API are what the code makes', async () => {
  const check = promisify(execFile)(process.execPath, ['scripts/generate-files.mjs', '--check'])

  await expect(check).resolves.toMatchObject({ stdout: '', stderr: '' })
})

it('the JSON Schema has a description for every property', () => {
  const schema: unknown = JSON.parse(readFileSync('packages/warrenmq/schema/topology.schema.json', 'utf8'))
  const properties = [...propertiesOf(schema, '')]

  const silent = properties.filter(({ description }) => !description).map(({ path }) => path)

  expect(properties.length).toBeGreaterThan(100)
  expect(silent).toEqual([])
})

function* propertiesOf(node: unknown, path: string): Generator<{ path: string; description: unknown }> {
  if (typeof node !== 'object' || node === null) return
  for (const [name, value] of Object.entries(node)) {
    if (name === 'properties')
      for (const [property, schema] of Object.entries<{ description?: unknown }>(value))
        yield { path: `${path}.${property}`, description: schema.description }
    yield* propertiesOf(value, `${path}.${name}`)
  }
}

describe('a declaration in the documentation has no mistakes', () => {
  const pages = readdirSync('docs', { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.md'),
  )
  const declarations = pages.flatMap((page) => {
    const blocks = readFileSync(join('docs', page), 'utf8').matchAll(/^```yaml\n([\s\S]*?)^```/gm)
    return [...blocks].map(([, text], index) => [`${page}, number ${index + 1}`, text ?? ''] as const)
  })

  it.each(declarations.filter(([, text]) => /^queues:/m.test(text)))('%s', (_, text) => {
    expect(validateTopology(parse(text))).toEqual([])
  })
})
