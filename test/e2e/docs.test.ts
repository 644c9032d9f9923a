import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import ts from 'typescript'
import { afterAll, describe, expect, it } from 'vitest'
import { useBroker } from '../support/use-broker.ts'

const broker = await useBroker()
/** Inside the package, so that `import 'warrenmq'` means the built package itself. */
const workplace = '.cache/docs'

afterAll(() => rmSync(workplace, { recursive: true, force: true }))

interface CodeBlock {
  readonly page: string
  readonly line: number
  readonly language: string
  readonly code: string
}

const pages = [
  ...readdirSync('.').filter((name) => name.endsWith('.md')),
  ...['docs', 'examples', 'src', 'test/support'].flatMap(findPages),
]
/** Pages beside the code show how a part is used; only those for users are programs. */
const blocks = pages.filter((page) => !/^(src|test)\//.test(page)).flatMap(readBlocks)
const programs = blocks.filter(({ language }) => language === 'ts')
const commandLines = blocks.filter(({ language }) => language === 'sh')

describe('a program in the documentation runs as it stands', () => {
  it.each(programs.map((block) => [`${block.page}:${block.line}`, block] as const))(
    '%s',
    async (_, block) => {
      const file = join(workplace, `${block.page.replaceAll('/', '-')}-${block.line}`)
      mkdirSync(workplace, { recursive: true })
      writeFileSync(`${file}.ts`, block.code)
      expect(typeErrors(`${file}.ts`)).toEqual([])
      writeFileSync(
        `${file}.mjs`,
        ts.transpile(block.code, { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext }),
      )

      const env = { ...process.env, AMQP_URL: broker.url }
      await promisify(execFile)(process.execPath, [`${file}.mjs`], { env, timeout: 30_000 })
    },
  )
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
})

describe('a link in the documentation leads somewhere', () => {
  it.each(pages)('%s', (page) => {
    const text = readFileSync(page, 'utf8').replace(/```[\s\S]*?```/g, '')
    const targets = [...text.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)].map(([, target]) => target!)
    const dead = targets.filter(
      (target) => !/^https?:/.test(target) && !existsSync(join(dirname(page), target)),
    )

    expect(dead).toEqual([])
  })
})

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

function typeErrors(file: string): string[] {
  const { config } = ts.readConfigFile('tsconfig.json', (path) => readFileSync(path, 'utf8'))
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, '.')
  // Without our short cut to the sources: a reader has the package.
  const { paths: _, ...published } = options
  const program = ts.createProgram([file], {
    ...published,
    isolatedDeclarations: false,
    declaration: false,
    noUnusedLocals: false,
  })
  return ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))
}
