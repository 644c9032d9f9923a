import { Writable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { commands } from '../../packages/cli/src/commands.ts'
import { runCli } from '../../packages/cli/src/run-cli.ts'
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

describe('at 80 columns no word is broken', () => {
  it.each(['', ...commands.map(({ name }) => name), 'dlq'])('in the help of "%s"', async (name) => {
    const { stdout } = await run([...name.split(' ').filter(Boolean), '--help'], 80)

    for (const line of stdout.split('\n')) expect(line.length, line).toBeLessThanOrEqual(80)
  })

  it('in an error', async () => {
    const { stderr } = await run(['check', '--config', 'there-is-no-such-file.yaml'], 80)

    expect(stderr.trim().split('\n').length).toBeGreaterThan(1)
    for (const line of stderr.split('\n')) expect(line.length, line).toBeLessThanOrEqual(80)
    expect(stderr).toContain('--config')
  })
})

describe('warren help', () => {
  it.each([
    ['help dlq redrive', 'dlq redrive --help'],
    ['dlq help redrive', 'dlq redrive --help'],
    ['help dlq', 'dlq --help'],
    ['help check', 'check --help'],
    ['help', '--help'],
  ])('%s is %s', async (words, same) => {
    const [told, expected] = [await run(words.split(' ')), await run(same.split(' '))]

    expect(told).toEqual({ ...expected, exitCode: 0 })
    expect(told.stdout).toMatch(new RegExp(`^Usage: warren ${same.replace(/ ?--help/, '')}`))
  })

  it('tells words that are no command as a mistake', async () => {
    const { exitCode, stderr } = await run(['help', 'dlq', 'redrve'])

    expect(exitCode).toBe(2)
    expect(stderr).toContain('did you mean `dlq redrive`?')
  })
})

/** On a terminal so many columns wide. */
async function run(args: readonly string[], columns?: number) {
  const streams = { stdout: textSink(columns), stderr: textSink(columns) }
  const exitCode = await runCli(args, { ...streams, env: {} })
  return { exitCode, stdout: streams.stdout.text(), stderr: streams.stderr.text() }
}

function textSink(columns?: number) {
  const texts: string[] = []
  const sink = new Writable({
    write: (chunk, _encoding, done) => {
      texts.push(String(chunk))
      done()
    },
  })
  return Object.assign(sink, { text: () => texts.join(''), ...(columns && { columns, isTTY: true }) })
}
