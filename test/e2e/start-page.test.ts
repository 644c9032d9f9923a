import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { addressOf } from './cli-rig.ts'
import { shellWords } from './shell-words.ts'
import { useVhost } from './use-vhost.ts'

const page = readFileSync('docs/start.md', 'utf8')
const [program, config] = blocksOf('ts') as [string, string]
/** What the page says that it prints, in its order. */
const said = blocksOf('text')
const main = resolve('packages/cli/dist/main.js')

it('the config is the topology of the program', () => {
  expect(declarationIn(config)).toBe(declarationIn(program))
})

it('the ten minutes go as the page tells them', async () => {
  const walk = await setup()

  expect(await walk('node invoices.mjs')).toEqual(linesOf(said[0]))
  expect(await walk('npx @warrenmq/cli dlq causes invoices.dlq')).toEqual(linesOf(said[1]))
  expect((await walk('npx @warrenmq/cli dlq peek invoices.dlq')).join('\n')).toContain('the price is missing')
  expect(await walk('npx @warrenmq/cli dlq redrive invoices.dlq --reason "prices are there again"')).toEqual(
    expect.arrayContaining([...linesOf(said[2])]),
  )
  expect(await walk('MENDED=yes node invoices.mjs')).toEqual(linesOf(said[3]))
  for (const command of ['check', 'diagram --output topology.svg', 'plan'])
    expect(await walk(`npx @warrenmq/cli ${command}`)).not.toEqual([])
})

/** A folder with the page's two files, in which one of its command lines can be run. */
async function setup(): Promise<(line: string) => Promise<readonly string[]>> {
  const env = { PATH: process.env.PATH ?? '', ...addressOf(await useVhost()) }
  // Inside the package, so that `import 'warrenmq'` means the built package itself.
  mkdirSync('.cache', { recursive: true })
  const folder = mkdtempSync('.cache/start-page-')
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'invoices.mjs'), program)
  writeFileSync(join(folder, 'warren.config.mjs'), config)
  return async (line) => {
    expect(page).toContain(line)
    const words = shellWords(line)
    const isMended = words[0] === 'MENDED=yes'
    const args = words.slice(words.indexOf(words[0] === 'npx' ? '@warrenmq/cli' : 'node') + 1)
    // Somebody who is asked says yes.
    if (words[0] === 'npx') args.unshift(main)
    if (args.includes('redrive')) args.push('--yes')
    const options = { cwd: folder, env: { ...env, ...(isMended && { MENDED: 'yes' }) } }
    const { stdout } = await promisify(execFile)(process.execPath, args, options)
    return linesOf(stdout)
  }
}

function declarationIn(code: string): string | undefined {
  return /defineTopology\([\s\S]*?\n\}\)/.exec(code)?.[0]
}

function blocksOf(language: string): readonly string[] {
  return [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(
    ([, code]) => code!,
  )
}

/** In any order: two messages that wait for the same second come back in either. Times and rates are of the day. */
function linesOf(text = ''): readonly string[] {
  return text
    .trim()
    .split('\n')
    .map((line) =>
      line
        .trim()
        .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
        .replace(/[\d,]+\/s/, 'RATE'),
    )
    .toSorted()
}
