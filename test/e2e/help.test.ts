import { describe, expect, it } from 'vitest'
import { commands } from '../../src/cli/commands.ts'
import { setupCli } from './cli-rig.ts'
import { parseUsage } from './parse-usage.ts'

describe('the example of a command is one of its own command lines', () => {
  it.each(commands.map((command) => [command.name, command] as const))('%s', (_, command) => {
    expect(parseUsage(command.example)).toBe(command)
  })

  it('and a line with a mistake is found out', () => {
    expect(() => parseUsage('warren dlq peek')).toThrow("missing required argument 'queue'")
    expect(() => parseUsage('warren check --borker-version 4.0')).toThrow('unknown option')
    expect(() => parseUsage('warren frobnicate')).toThrow('no such command')
  })
})

describe('help of a command', () => {
  // One process for each is slow, so a few stand for all: with and without a group, with more text of its own.
  it.each(['check', 'dlq redrive', 'completion'])('%s ends with its example', async (name) => {
    const { exitCode, stdout } = await setupCli().warren(`${name} --help`)

    const { example } = commands.find((command) => command.name === name)!
    expect(exitCode).toBe(0)
    expect(stdout).toContain(`\nExample:\n  ${example}\n`)
  })

  it('lists every command, and in a group its own, with an example', async () => {
    const { stdout } = await setupCli().warren('--help')
    const { exitCode, stderr } = await setupCli().warren('dlq')

    expect(exitCode).toBe(2)
    for (const text of [stdout, stderr]) {
      const [, example = ''] = /\nExample:\n {2}(warren .*)\n/.exec(text) ?? []
      expect(commands.map(({ name }) => name)).toContain(parseUsage(example)?.name)
    }

    for (const { name } of commands) {
      const [word, second] = name.split(' ')
      expect(stdout).toMatch(new RegExp(`^ {2}${word}\\b`, 'm'))
      if (second) expect(stderr).toMatch(new RegExp(`^ {2}${second}\\b`, 'm'))
    }
  })
})
