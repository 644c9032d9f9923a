import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const packages = ['packages/warrenmq', 'packages/cli']

function sourcesOf(folder: string): readonly string[] {
  return readdirSync(join(folder, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => join(folder, 'src', name))
}

/** Pages that a text of the code names; comments are for who has the repository. */
function pagesIn(name: string): readonly string[] {
  const code = readFileSync(name, 'utf8')
    .split('\n')
    .filter((line) => !/^\s*(\/\/|\/?\*)/.test(line))
    .join('\n')
  return [...code.matchAll(/[\w./-]+\.md\b/g)].map(([page]) => page)
}

test.each(packages)('a text of %s that names a page names one that is in the package', (folder) => {
  const { files } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { files: string[] }
  const named = sourcesOf(folder).flatMap((name) => pagesIn(name).map((page) => ({ name, page })))
  const missing = named.filter(
    ({ page }) => !files.some((each) => page === each || page.startsWith(`${each}/`)),
  )

  expect(missing).toEqual([])
})
