import { PassThrough, Writable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { createTerminal } from './terminal.ts'

function setup({ isTTY = true, isJson = false, columns = 21, env = {} } = {}) {
  const [stdout, stderr] = [new TextSink(isTTY, columns), new TextSink(isTTY, columns)]
  const stdin = Object.assign(new PassThrough(), { isTTY })
  return { stdout, stderr, stdin, terminal: createTerminal({ stdout, stderr, stdin, env }, { isJson }) }
}

class TextSink extends Writable {
  readonly isTTY: boolean
  readonly columns: number
  text = ''

  constructor(isTTY: boolean, columns: number) {
    super()
    this.isTTY = isTTY
    this.columns = columns
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString()
    done()
  }
}

const clearScreen = '\u001b[2J'

describe('a terminal', () => {
  it('shows what would steer it, with its own colours around', () => {
    const { stdout, terminal } = setup({ columns: 80 })

    terminal.say(`${terminal.paint('bold', `m-1${clearScreen}`)} ${clearScreen} 🐛[2J \udc1b[2J`)

    expect(stdout.text).toBe('\u001b[1mm-1\\u001b[2J\u001b[22m \\u001b[2J 🐛[2J \ufffd[2J\n')
  })

  it('breaks a line between words, with its colours on, but not what a message holds', () => {
    const { stdout, terminal } = setup()

    terminal.say(`  ${terminal.paint('bold', 'one two three')} four five`)
    terminal.say('  {"a": "one two three four"}', 'exact')

    expect(stdout.text).toBe(
      '  \u001b[1mone two three\u001b[22m four\n  five\n  {"a": "one two three four"}\n',
    )
  })

  it('shows the same on a moving line, which it cuts at its width', () => {
    const { stdout, terminal } = setup()

    terminal.progress(`${clearScreen} and very much more`)

    expect(stdout.text).toBe('\\u001b[2J and very m')
  })

  it('takes one that does not know its width for 80 wide', () => {
    const { stdout, terminal } = setup({ columns: 0 })

    terminal.progress('-'.repeat(100))

    expect(stdout.text).toBe('-'.repeat(79))
  })

  it('has no escape sequence in a file, and none in a document', () => {
    const file = setup({ isTTY: false })
    file.terminal.say(file.terminal.paint('red', clearScreen))
    const json = setup({ isJson: true })
    json.terminal.result({ body: '\u009b2J' })

    expect(file.stdout.text).toBe('\\u001b[2J\n')
    expect(json.stdout.text).not.toContain('\u009b')
    expect(JSON.parse(json.stdout.text)).toEqual({ body: '\u009b2J' })
  })

  it('asks where somebody can answer', async () => {
    const { stderr, stdin, terminal } = setup()

    const answer = terminal.ask('Move 3 messages? ')
    stdin.write('yes\n')

    expect(terminal.canAsk).toBe(true)
    expect(await answer).toBe('yes')
    expect(stderr.text).toContain('Move 3 messages? ')
  })

  it('takes a closed input for no answer', async () => {
    const { stderr, stdin, terminal } = setup()

    const answer = terminal.ask('Move 3 messages? ')
    stdin.end()

    expect(await answer).toBe('')
    expect(stderr.text).toMatch(/\n$/) // what is said next has a line of its own
  })

  it.each([
    ['without one', { isTTY: false }],
    ['in CI', { env: { CI: 'true' } }],
  ])('cannot be asked on %s', (_, options) => {
    expect(setup(options).terminal.canAsk).toBe(false)
  })
})
