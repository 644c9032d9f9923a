import { describe, expect, it } from 'vitest'
import type { CommandShape } from '../completion/describe-commands.ts'
import { explainUsage, helpFor } from './explain-usage.ts'

const shapes: readonly CommandShape[] = [
  { path: [], summary: '', words: [], options: [option('--version')] },
  { path: ['demo'], summary: '', words: [], options: [option('--url'), option('--json')] },
  { path: ['dlq'], summary: '', words: [], options: [] },
  { path: ['dlq', 'list'], summary: '', words: [], options: [option('--quick')] },
  { path: ['dlq', 'redrive'], summary: '', words: [], options: [option('--canary'), option('--reason')] },
]

function option(flag: string): CommandShape['options'][number] {
  return { flags: [flag], summary: '', value: { kind: 'none' } }
}

describe('a mistake on the command line names what was meant', () => {
  it.each([
    ['redrve', 'unknown command `redrve`; did you mean `dlq redrive`?'],
    ['redrive payments.dlq', 'unknown command `redrive`; did you mean `dlq redrive`?'],
    ['dlq redrve', 'unknown command `redrve`; did you mean `dlq redrive`?'],
    ['dlq lst', 'unknown command `lst`; did you mean `dlq list`?'],
    ['dmo', 'unknown command `dmo`; did you mean `demo`?'],
    ['dql', 'unknown command `dql`; did you mean `dlq`?'],
    ['frobnicate', 'unknown command `frobnicate`.'],
  ])('warren %s', (line, sentence) => {
    const args = line.split(' ')
    const word = args.find((each) => each !== 'dlq')
    const message = `error: unknown command '${word}'`

    expect(explainUsage({ message, args, shapes })).toBe(sentence)
  })

  it.each([
    ['dlq redrive x.dlq --canry 10', '--canry', 'unknown option `--canry`; did you mean `--canary`?'],
    ['dlq redrive --resaon=x', '--resaon=x', 'unknown option `--resaon=x`; did you mean `--reason`?'],
    ['demo --canary', '--canary', 'unknown option `--canary`.'],
    ['--verson', '--verson', 'unknown option `--verson`; did you mean `--version`?'],
  ])('warren %s', (line, flag, sentence) => {
    const message = `error: unknown option '${flag}'`

    expect(explainUsage({ message, args: line.split(' '), shapes })).toBe(sentence)
  })
})

it('any other mistake is told as commander words it, as a sentence', () => {
  const message = "error: missing required argument 'queue'"

  expect(explainUsage({ message, args: ['dlq', 'redrive'], shapes })).toBe(
    "missing required argument 'queue'.",
  )
})

it('help is that of the command that was begun', () => {
  expect(helpFor({ args: ['dlq', 'redrive', '--x'], shapes })).toBe('warren dlq redrive --help')
  expect(helpFor({ args: ['dlq', 'redrve'], shapes })).toBe('warren dlq --help')
  expect(helpFor({ args: ['nothing'], shapes })).toBe('warren --help')
})
