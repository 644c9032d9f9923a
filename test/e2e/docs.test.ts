import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import ts from 'typescript'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { commands } from '../../packages/cli/src/commands.ts'
import { readServerSection } from '../../packages/cli/src/http-api/read-server-section.ts'
import { consumerHeaders } from '../../packages/warrenmq/src/consumer/settle/consumer-headers.ts'
import { defineTopology } from '../../packages/warrenmq/src/index.ts'
import { warrenHeaders } from '../../packages/warrenmq/src/message/warren-headers.ts'
import { recoveryHeaders } from '../../packages/warrenmq/src/recovery/put-back/recovery-headers.ts'
import { useBroker } from '../support/use-broker.ts'
import { commandParser, parseUsage } from './parse-usage.ts'

const broker = await useBroker()
/** Inside the package, so that `import 'warrenmq'` means the built package itself. */
const workplace = `.cache/docs-${process.pid}`

afterAll(() => rmSync(workplace, { recursive: true, force: true }))

interface CodeBlock {
  readonly page: string
  readonly line: number
  readonly language: string
  readonly code: string
}

const pages = [
  ...readdirSync('.').filter((name) => name.endsWith('.md')),
  ...['docs', 'examples', 'packages', 'test/support'].flatMap(findPages),
]
/** Pages beside the code show how a part is used; only those for users are programs. */
const blocks = pages.filter((page) => !/^(packages\/[^/]+\/src|test)\//.test(page)).flatMap(readBlocks)
const programs = blocks.filter(({ language }) => language === 'ts')
/** As Nest has them. */
const decorators = { experimentalDecorators: true, emitDecoratorMetadata: true }
const commandLines = blocks.filter(({ language }) => language === 'sh')

describe('a program in the documentation runs as it stands', () => {
  const files = new Map(programs.map((block) => [block, fileOf(block)] as const))
  let errorsOf: (file: string) => readonly string[]

  // One look of the compiler at all of them: most of its time goes into what they share.
  beforeAll(() => {
    mkdirSync(workplace, { recursive: true })
    for (const [{ code }, file] of files) writeFileSync(`${file}.ts`, code)
    errorsOf = checkTypes([...files.values()].map((file) => `${file}.ts`))
  })

  it.each(programs.map((block) => [`${block.page}:${block.line}`, block] as const))(
    '%s',
    async (_, block) => {
      const file = files.get(block)!
      expect(errorsOf(`${file}.ts`)).toEqual([])
      writeFileSync(
        `${file}.mjs`,
        ts.transpile(block.code, {
          ...decorators,
          target: ts.ScriptTarget.ES2023,
          module: ts.ModuleKind.ESNext,
        }),
      )

      const env = { ...process.env, AMQP_URL: broker.url }
      await promisify(execFile)(process.execPath, [`${file}.mjs`], { env, timeout: 90_000 })
    },
  )
})

describe('a config in the documentation is read as it stands', () => {
  const documents = blocks
    .filter(({ language }) => language === 'yaml' || language === 'json')
    .map((block) => ({ ...block, content: parse(block.code) as Record<string, unknown> }))
  const named = (key: string) =>
    documents
      .filter(({ content }) => key in content)
      .map(({ page, line, content }) => [`${page}:${line}`, content[key], content] as const)

  it.each(named('queues'))('%s', (_, _queues, topology) => {
    expect(() => defineTopology(topology as unknown as Parameters<typeof defineTopology>[0])).not.toThrow()
  })

  it.each(named('server'))('%s', (_, section) => {
    const env = { WARREN_WEBHOOK_SECRET: 'secret', SLACK_WEBHOOK_URL: 'https://hooks.example/T0' }
    expect(() => readServerSection(section as Record<string, unknown>, env)).not.toThrow()
  })
})

describe('a command in the documentation exists', () => {
  const scripts = Object.keys(
    (JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: object }).scripts,
  )

  it.each(commandLines.map((block) => [`${block.page}:${block.line}`, block] as const))(
    '%s',
    (_, { code }) => {
      for (const command of code.split(/\n|&&/).map((line) => line.trim())) {
        const script = /^npm (?:run )?(?:-s )?([a-z:-]+)/.exec(command)?.[1]
        if (script && !['install', 'ci', 'i', 'view'].includes(script)) expect(scripts).toContain(script)
      }
    },
  )

  it.each(commandLines.map((block) => [`${block.page}:${block.line}`, block] as const))(
    '%s, with these options',
    (_, { code }) => {
      const lines = code.replaceAll('\\\n', ' ').split(/\n|&&/)
      const warren = lines.flatMap(
        (line) => /^\s*(?:\w+=\S+ )*(?:npx )?((?:@warrenmq\/cli|warren)\b.*)/.exec(line)?.[1] ?? [],
      )

      for (const line of warren) expect(() => parseUsage(line)).not.toThrow()
    },
  )

  it('in the reference, with every option that is named there', () => {
    const headings = readFileSync('docs/reference/cli.md', 'utf8').split(/^##+ /m)
    const sections = headings.flatMap((section) => /^warren ([\s\S]*)/.exec(section)?.[1] ?? [])
    const unknown = sections.flatMap((section) => {
      const [title = '', ...rest] = section.split('\n')
      const named = [...rest.join('\n').matchAll(/^\| `(--[a-z-]+)/gm)].map(([, flag]) => flag)
      const parser = commandParser(title)
      return named
        .filter((flag) => !parser.options.some(({ long }) => long === flag))
        .map((flag) => `${title} ${flag}`)
    })

    expect(sections).toHaveLength(commands.length)
    expect(unknown).toEqual([])
  })

  it('in the reference, with every option that it has', () => {
    const page = readFileSync('docs/reference/cli.md', 'utf8')
    const sections = new Map(
      page.split(/^##+ warren /m).map((section) => [section.slice(0, section.indexOf('\n')), section]),
    )
    const unnamed = commands.flatMap(({ name }) =>
      commandParser(name)
        .options.map(({ long }) => long!)
        .filter((flag) => !new RegExp(`\`(?:-\\w, )?${flag}[ \`]`).test(sections.get(name) ?? ''))
        .map((flag) => `${name} ${flag}`),
    )

    expect(unnamed).toEqual([])
  })
})

describe('a file of this repository that the documentation names is there', () => {
  it.each(pages.filter((page) => page !== 'CHANGELOG.md'))('%s', (page) => {
    const named = readFileSync(page, 'utf8').matchAll(
      /(?<![\w./-])((?:packages|test|docs|examples)\/[\w./-]+\.\w+)/g,
    )
    const beside = dirname(page)

    expect(
      [...named]
        .map(([, path]) => path!)
        .filter((path) => !existsSync(path) && !existsSync(join(beside, path))),
    ).toEqual([])
  })
})

it('a figure in the README is one of those that were measured', () => {
  const figuresOf = (page: string) => readFileSync(page, 'utf8').match(/\d+(?:\.\d+)? ×/g) ?? []
  const measured = new Set(figuresOf('docs/reference/performance.md'))

  expect(figuresOf('README.md')).not.toEqual([])
  expect(figuresOf('README.md').filter((figure) => !measured.has(figure))).toEqual([])
})

it('every header that is written is in the reference', () => {
  const page = readFileSync('docs/reference/headers.md', 'utf8')
  const written = [warrenHeaders, recoveryHeaders, consumerHeaders].flatMap((names) => Object.values(names))

  expect(written.filter((name) => !page.includes(`\`${name}\``))).toEqual([])
})

describe('what the code has is in the reference', () => {
  const read = (path: string): string => readFileSync(path, 'utf8')
  const find = (path: string, pattern: RegExp) => [...read(path).matchAll(pattern)].map(([, name]) => name!)

  it.each([
    [
      'metrics',
      () =>
        [
          'packages/warrenmq/src/consumer/observe/consumer-metrics.ts',
          'packages/cli/src/http-api/routes/operation.ts',
        ].flatMap((path) => find(path, /'(warren_[a-z_]+)'/g)),
    ],
    [
      'events',
      () =>
        find('packages/warrenmq/src/consumer/observe/consumer-events.ts', /^ {2}'?([a-z-]+\.[a-z-]+)'?:/gm),
    ],
    [
      'events',
      () =>
        find(
          'packages/warrenmq/src/broker/amqp/session-events.ts',
          /^ {2}'?([a-z.-]+)'?: (?:\{ readonly|Record<never|SessionEvents\[)/gm,
        ),
    ],
    ['config', () => propertyNames(without('server', configSchema()))],
    ['http-api', () => propertyNames(without('webhooks', configSchema().properties.server))],
    ['../guides/webhooks', () => propertyNames(configSchema().properties.server.properties.webhooks)],
  ])('%s', (page, list) => {
    const code = (read(`docs/reference/${page}.md`).match(/`[^`\n]+`|```[\s\S]*?```/g) ?? []).join(' ')
    const names = list()

    expect(names.length).toBeGreaterThan(5)
    expect(names.filter((name) => !code.includes(name))).toEqual([])
  })
})

describe('a link in the documentation leads somewhere', () => {
  it.each(pages)('%s', (page) => {
    const text = readFileSync(page, 'utf8').replace(/```[\s\S]*?```/g, '')
    const links = [...text.matchAll(/\]\(([^)#\s]*)(#[^)\s]*)?\)/g)].map(([, path, anchor]) => ({
      path,
      anchor,
    }))
    const dead = links.filter(({ path = '', anchor }) => {
      if (/^https?:/.test(path)) return false
      const file = path === '' ? page : join(dirname(page), path)
      return !existsSync(file) || (anchor !== undefined && !anchorsOf(file).includes(anchor))
    })

    expect(dead).toEqual([])
  })
})

it('every page is in the table of contents', () => {
  const contents = readFileSync('docs/README.md', 'utf8')
  const pagesOfDocs = findPages('docs').map((page) => page.slice('docs/'.length))

  expect(pagesOfDocs.filter((page) => page !== 'README.md' && !contents.includes(`(${page})`))).toEqual([])
})

interface JsonSchema {
  readonly properties: Readonly<Record<string, JsonSchema>>
}

function configSchema(): JsonSchema & { properties: { server: JsonSchema } } {
  return JSON.parse(readFileSync('packages/warrenmq/schema/topology.schema.json', 'utf8')) as ReturnType<
    typeof configSchema
  >
}

/** A schema of objects that know nothing of a property. */
function without(name: string, { properties, ...schema }: JsonSchema): object {
  return { ...schema, properties: { ...properties, [name]: {} } }
}

/** Of a JSON Schema, at any depth. */
function propertyNames(schema: unknown): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return []
  const { properties = {} } = schema as { properties?: object }
  return [...Object.keys(properties), ...Object.values(schema).flatMap(propertyNames)]
}

/** The anchors that headings get, as GitHub makes them. */
function anchorsOf(page: string): readonly string[] {
  const headings = [...readFileSync(page, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading!)
  return headings.map((heading) => {
    const words = heading.toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, '')
    return `#${words.trim().replaceAll(' ', '-')}`
  })
}

function findPages(folder: string): string[] {
  if (!existsSync(folder)) return []
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return files.filter((name) => name.endsWith('.md')).map((name) => join(folder, name))
}

function readBlocks(page: string): CodeBlock[] {
  const text = readFileSync(page, 'utf8')
  return [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```/gm)].map((match) => ({
    page,
    line: text.slice(0, match.index).split('\n').length,
    language: match[1]!,
    code: match[2]!,
  }))
}

function fileOf({ page, line }: CodeBlock): string {
  return join(workplace, `${page.replaceAll('/', '-')}-${line}`)
}

function checkTypes(files: readonly string[]): (file: string) => readonly string[] {
  const { config } = ts.readConfigFile('tsconfig.json', (path) => readFileSync(path, 'utf8'))
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, '.')
  // Without our short cut to the sources: a reader has the package.
  const { paths: _, ...published } = options
  const program = ts.createProgram(files, {
    ...published,
    isolatedDeclarations: false,
    declaration: false,
    noUnusedLocals: false,
    ...decorators,
    erasableSyntaxOnly: false,
    verbatimModuleSyntax: false,
  })
  return (file) =>
    ts
      .getPreEmitDiagnostics(program, program.getSourceFile(file))
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))
}
