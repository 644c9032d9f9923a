import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const { files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { files: string[] }

const sources = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' }).filter(
  (name) => name.endsWith('.ts') && !name.endsWith('.test.ts'),
)

/** Pages that a text of the code names; comments are for who has the repository. */
function pagesIn(name: string): readonly string[] {
  const code = readFileSync(join(import.meta.dirname, name), 'utf8')
    .split('\n')
    .filter((line) => !/^\s*(\/\/|\/?\*)/.test(line))
    .join('\n')
  return [...code.matchAll(/[\w./-]+\.md\b/g)].map(([page]) => page)
}

test('a text that names a page names one that is in the package', () => {
  const named = sources.flatMap((name) => pagesIn(name).map((page) => ({ name, page })))
  const missing = named.filter(
    ({ page }) => !files.some((each) => page === each || page.startsWith(`${each}/`)),
  )

  expect(missing).toEqual([])
})
