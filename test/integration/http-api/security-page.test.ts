import { readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { expect, it } from 'vitest'

// What the page says is defended has a test by name, and a title that it quotes is one of that test.

const files = ['test', 'packages'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.ts') && !path.includes('node_modules'))
    .map((path) => `${folder}/${path}`),
)
const heads = ['attack', 'what is defended']
const rows = readFileSync('docs/reference/security.md', 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| -'))
  .map((line) => line.split('|').map((cell) => cell.trim())[1]! + line.slice(line.indexOf('|', 2)))
  .filter((row) => !heads.some((head) => row.startsWith(`${head}|`)))
  .map((row) => [row.slice(0, row.indexOf('|')), row] as const)

it('the page has its rows', () => {
  expect(rows.length).toBeGreaterThan(50)
})

it.each(rows)('a test is named for: %s', (_, row) => {
  const named = [...row.matchAll(/`([\w./-]+\.test\.ts)`(?: \("([^"]+)"\))?/g)]

  expect(named).not.toEqual([])
  for (const [, name = '', title] of named) {
    const file = fileOf(name)
    expect(file, name).toBeDefined()
    if (title !== undefined) expect(readFileSync(file!, 'utf8')).toContain(title)
  }
})

/** Without a folder it stands beside this one, or nowhere else twice. */
function fileOf(name: string): string | undefined {
  const beside = `test/integration/http-api/${name}`
  if (files.includes(name) || files.includes(beside)) return files.includes(name) ? name : beside
  const found = files.filter((path) => basename(path) === name)
  return found.length === 1 ? found[0] : undefined
}
