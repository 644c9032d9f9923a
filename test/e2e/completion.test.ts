import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { commands } from '../../packages/cli/src/commands.ts'
import { layoutNames } from '../../packages/warrenmq/src/topology/layouts/layout-names.ts'
import { findProgram, type Program } from '../support/services/find-program.ts'
import { ServiceUnavailableError } from '../support/services/service-unavailable-error.ts'
import { setupCli } from './cli-rig.ts'

const shells: readonly Shell[] = [
  {
    name: 'bash',
    debianPackage: 'bash',
    // What bash does at a tab: it sets these and calls the function that `complete` named.
    ask: `complete -p warren >/dev/null || exit 1
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _warren; printf '%s\\n' "\${COMPREPLY[@]}"`,
  },
  {
    name: 'zsh',
    debianPackage: 'zsh',
    // The widgets of zsh's completion need a terminal; here they print what they are given to show.
    ask: `_describe() { [[ $1 == -o ]] && shift; print -rl -- \${\${(P)2}%%:*} }
compadd() { shift; print -rl -- $@ }
_files() { print -r -- FILES }
words=("$@"); CURRENT=$#; _warren`,
    before: 'compdef() { [[ $1 == _warren && $2 == warren ]] }',
  },
  {
    name: 'fish',
    debianPackage: 'fish',
    ask: `complete -C (string join ' ' -- $argv)`,
  },
]

interface Shell extends Program {
  /** Prints what can stand for the last of the words. */
  readonly ask: string
  readonly before?: string
}

/** Whether a shell can be had here; CI has all three. */
async function find(shell: Shell): Promise<string | undefined> {
  return findProgram(shell).catch((error: unknown) => {
    if (!(error instanceof ServiceUnavailableError) || process.env.CI) throw error
    return undefined
  })
}

const found = await Promise.all(shells.map(async (shell) => ({ ...shell, path: await find(shell) })))

describe.each(found)('completion in $name', ({ name, path, before = '', ask }) => {
  const test = it.skipIf(path === undefined)

  async function complete(line: string): Promise<readonly string[]> {
    const { stdout: script } = await setupCli().warren(`completion ${name}`)
    const folder = mkdtempSync(join(tmpdir(), 'warren-completion-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const file = join(folder, 'ask')
    writeFileSync(file, [before, script, ask].join('\n'))
    const args = name === 'fish' ? ['--no-config', file] : [file]
    const { stdout } = await promisify(execFile)(path!, [...args, ...line.split(' ')], {
      env: { PATH: process.env.PATH ?? '', HOME: folder, TERM: 'dumb' },
      cwd: folder,
    })
    const prefix = line.split(' ').at(-1) ?? ''
    const words = stdout.split('\n').map((each) => each.split('\t')[0] ?? '')
    // zsh filters by what was typed itself, after this.
    return [...new Set(words.filter((word) => word !== '' && word.startsWith(prefix)))].sort()
  }

  test('offers every command', async () => {
    const firstWords = [...new Set(commands.map((command) => command.name.split(' ')[0]))].sort()

    const offered = (await complete('warren ')).filter((word) => !word.startsWith('-'))
    expect(offered).toEqual(firstWords)
  })

  test('finishes a command of a group', async () => {
    expect(await complete('warren dlq re')).toEqual(['redrive', 'restore'])
  })

  test('offers the options of the command that was begun, whatever stands between', async () => {
    expect(await complete('warren dlq redrive orders.dlq --reason x --can')).toEqual([
      '--canary',
      '--canary-wait',
    ])
    expect(await complete('warren check --can')).toEqual([])
  })

  test('offers the values of an option that has a choice', async () => {
    expect(await complete('warren init --layout ')).toEqual(layoutNames.toSorted())
  })

  test('offers the shells', async () => {
    const offered = (await complete('warren completion ')).filter((word) => !word.startsWith('-'))
    expect(offered).toEqual(['bash', 'fish', 'zsh'])
  })
})

it('the script is a document with --json', async () => {
  const { stdout } = await setupCli().warren('completion bash --json')

  expect(JSON.parse(stdout)).toEqual({ shell: 'bash', script: expect.stringContaining('complete -o') })
})
