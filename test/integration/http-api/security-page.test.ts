import { readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { expect, it } from 'vitest'

// What the page says is defended has a test by name, and a title that it quotes is one of that test.

const files = ['test', 'packages'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.ts') && !path.includes('node_modules'))
    .map((path) => `${folder}/${path}`),
)

/** An entry is a point of a list that begins with the attack; what belongs to it is indented. */
const page = readFileSync('docs/reference/security.md', 'utf8')
const defended = page.slice(0, page.indexOf('\n## What is not defended'))
const entries = [...defended.matchAll(/^- \*\*(.+?)\.\*\*((?:.*\n)(?: {2}.*\n)*)/gm)].map(
  ([entry, attack = '']) => [attack, entry.replaceAll(/\n\s+/g, ' ')] as const,
)

it('the page has its entries, and each of its sections is in its list', () => {
  expect(entries.length).toBeGreaterThan(50)

  const sections = [...page.matchAll(/^## (.+)$/gm)].map(([, name = '']) => name)
  expect([...page.matchAll(/^- \[(.+)\]\(#(.+)\)$/gm)].map(([, ...link]) => link)).toEqual(
    sections.map((name) => [name, name.toLowerCase().replaceAll(',', '').replaceAll(' ', '-')]),
  )
})

it.each(entries)('a test is named for: %s', (_, entry) => {
  const named = [...entry.matchAll(/`([\w./-]+\.test\.ts)`(?: \("([^"]+)"\))?/g)]

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
