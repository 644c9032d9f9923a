// Writes the files that are made from code: the JSON Schema, the OpenAPI document of the HTTP API, the reports of the
// public API; and on pages that people write, the options of every command, the diagrams under declarations and the
// drawing of a re-drive.
// With --check it writes nothing, names what is not current, and fails. Reads dist/, so build first.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { parse } from 'yaml'
import { renderRedrivePhases } from '../.cache/build/warrenmq/recovery/redrive/render-redrive-phases.js'
import { compileTopology } from '../.cache/build/warrenmq/topology/compile-topology.js'
import { renderMermaid } from '../.cache/build/warrenmq/topology/render-mermaid.js'
import { topologySchema } from '../.cache/build/warrenmq/topology/topology-schema.js'
import { readTopology } from '../.cache/build/warrenmq/topology/validate-topology.js'
import { sessionCookie } from '../packages/cli/dist/http-api/auth/session-cookie.js'
import { describeApi } from '../packages/cli/dist/http-api/contract/describe-api.js'
import { endpoints } from '../packages/cli/dist/http-api/contract/endpoints.js'
import { problemOfCode } from '../packages/cli/dist/http-api/problems.js'
import { serverSection } from '../packages/cli/dist/http-api/read-server-section.js'
import { withCommands } from './describe-commands.mjs'
import { describeSchema } from './describe-schema.mjs'
import { renderRequestSchemas, requestSchemasFile } from './generate-request-schemas.mjs'
import { recoverySchema } from './recovery-schema.mjs'
import { renderApiReport } from './render-api-report.mjs'
import { renderConsoleTypes } from './render-console-types.mjs'

const read = (path) => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

/** A mermaid block that follows a yaml block is the picture of what the yaml declares. */
function withDiagrams(page) {
  return page.replace(/(```yaml\n([\s\S]*?)```\n\n)```mermaid\n[\s\S]*?```/g, (_, before, declaration) => {
    const topology = compileTopology(readTopology(parse(declaration)), { brokerVersion: '4.3' })
    return `${before}\`\`\`mermaid\n${renderMermaid(topology)}\`\`\``
  })
}

/** The phases of a re-drive, as its state machine has them. */
function withPhases(page) {
  return page.replace(/```mermaid\n[\s\S]*?```/, () => `\`\`\`mermaid\n${renderRedrivePhases()}\`\`\``)
}

/** One definition or property of the config to a line: small in the package, and a change shows where it is. */
function renderSchema(schema) {
  const lines = Object.entries(schema).map(([name, value]) => {
    const text = ['properties', 'definitions'].includes(name) ? renderEntries(value) : JSON.stringify(value)
    return `${JSON.stringify(name)}: ${text}`
  })
  return `{\n${lines.join(',\n')}\n}\n`
}

function renderEntries(value) {
  const lines = Object.entries(value).map(
    ([name, each]) => `${JSON.stringify(name)}: ${JSON.stringify(each)}`,
  )
  return `{\n${lines.join(',\n')}\n}`
}

/** For editors: with the sections that the topology itself knows nothing of, and a sentence for every setting. */
function configSchema() {
  const sections = { recovery: recoverySchema, server: JSON.parse(JSON.stringify(serverSection)) }
  const schema = { ...topologySchema, properties: { ...topologySchema.properties, ...sections } }
  return describeSchema(schema, 'packages/warrenmq/dist/cjs/topology/compiled-topology.d.ts')
}

function apiReport(name, door) {
  return renderApiReport({ name, path: `packages/warrenmq/dist/cjs/${door}.d.ts` })
}

/** As a server gives it, for who generates a client without one. One line for each operation and schema. */
function openapiDocument() {
  const { version } = JSON.parse(read('packages/cli/package.json'))
  const { paths, components, ...head } = describeApi({
    endpoints,
    version,
    sessionCookie,
    problemOf: problemOfCode,
  })
  const lines = (value, indent) =>
    Object.entries(value)
      .map(([name, each]) => `${indent}${JSON.stringify(name)}: ${JSON.stringify(each)}`)
      .join(',\n')
  const { schemas, ...others } = components
  return [
    `{\n${lines(head, '  ')},\n  "paths": {`,
    Object.entries(paths)
      .map(([path, operations]) => `    ${JSON.stringify(path)}: {\n${lines(operations, '      ')}\n    }`)
      .join(',\n'),
    `  },\n  "components": {\n${lines(others, '    ')},\n    "schemas": {`,
    `${lines(schemas, '      ')}\n    }\n  }\n}\n`,
  ].join('\n')
}

const openapi = openapiDocument()
const layoutsPage = 'docs/concepts/layouts.md'
const commandsPage = 'docs/reference/cli.md'
const redrivePage = 'docs/concepts/redrive-life-cycle.md'
const files = {
  'packages/warrenmq/schema/topology.schema.json': renderSchema(configSchema()),
  [layoutsPage]: withDiagrams(read(layoutsPage)),
  [redrivePage]: withPhases(read(redrivePage)),
  [commandsPage]: withCommands(read(commandsPage)),
  [requestSchemasFile]: renderRequestSchemas(),
  'docs/reference/api-report-warrenmq.md': apiReport('warrenmq', 'index'),
  'docs/reference/api-report-warrenmq-operations.md': apiReport('warrenmq/operations', 'operations'),
  'docs/reference/api-report-warrenmq-testing.md': apiReport('warrenmq/testing', 'testing'),
  'docs/reference/openapi.json': openapi,
  'packages/console/src/api/schema.d.ts': await renderConsoleTypes(JSON.parse(openapi)),
}

const stale = Object.entries(files).filter(([path, text]) => read(path) !== text)
if (process.argv.includes('--check')) {
  for (const [path] of stale) console.error(`${path} is not current; run node scripts/generate-files.mjs`)
  process.exitCode = stale.length === 0 ? 0 : 1
} else {
  for (const [path, text] of stale) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
    console.log(`Wrote ${path}.`)
  }
}
