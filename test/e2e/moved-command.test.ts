import { execFile } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, it } from 'vitest'
import { installLibrary } from './install-library.ts'

/** A project of its own, in which the built library is installed. */
const project = `.cache/moved-command-${process.pid}`
afterAll(() => rmSync(project, { recursive: true, force: true }))

it('the old command names the new one, and ends as bad usage does', async () => {
  installLibrary(project)
  const installed = join(project, 'node_modules/warrenmq')
  const { bin } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
  const program = join(installed, bin.warrenmq)

  const ran = promisify(execFile)(process.execPath, [program, 'dlq', 'list'])

  await expect(ran).rejects.toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('Run: npx @warrenmq/cli dlq list\n'),
  })
})
