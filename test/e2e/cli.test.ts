import { execFile } from 'node:child_process'
import { describe, expect, it } from 'vitest'

/** Runs the built command as a person would, without a terminal. */
function warren(args: readonly string[], env: Record<string, string> = {}) {
  return new Promise<{ exitCode: number; stdout: string; stderr: string }>((resolve) => {
    const options = { env: { PATH: process.env.PATH ?? '', ...env } }
    execFile(process.execPath, ['packages/cli/dist/main.js', ...args], options, (error, stdout, stderr) => {
      resolve({ exitCode: typeof error?.code === 'number' ? error.code : 0, stdout, stderr })
    })
  })
}

describe('warren', () => {
  it('shows its version and its commands', async () => {
    expect((await warren(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
    expect((await warren(['--help'])).stdout).toContain('demo')
    expect((await warren(['demo', '--help'])).stdout).toContain('Example:\n  warren demo')
  })

  it('suggests the command that was meant', async () => {
    const { exitCode, stderr } = await warren(['redrve'])

    expect(exitCode).toBe(2)
    expect(stderr).toBe(
      'warren: unknown command `redrve`; did you mean `dlq redrive`?\nSee `warren --help`.\n',
    )
  })

  it('suggests the option that was meant', async () => {
    const { exitCode, stderr } = await warren(['dlq', 'redrive', 'orders.dlq', '--canry', '10'])

    expect(exitCode).toBe(2)
    expect(stderr).toBe(
      'warren: unknown option `--canry`; did you mean `--canary`?\nSee `warren dlq redrive --help`.\n',
    )
  })

  it.each(['--attempts twice', '--stop-when-dead some', '--wait soon', '--canary-wait soon', '--hold on'])(
    'refuses %s as bad usage, which names the option',
    async (words) => {
      const { exitCode, stderr } = await warren(['dlq', 'redrive', 'orders.dlq', ...words.split(' ')])

      expect(exitCode).toBe(2)
      expect(stderr).toContain(words.split(' ')[0])
    },
  )

  it('says in one sentence that the broker cannot be reached, without the password', async () => {
    const { exitCode, stdout, stderr } = await warren(['demo', '--url', 'amqp://me:hunter2@127.0.0.1:1'])

    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' })
    expect(stderr).toMatch(
      /^warren: Cannot reach a broker at amqp:\/\/127\.0\.0\.1:1\/ \(ECONNREFUSED\)\..*\n$/,
    )
    expect(stderr).not.toContain('hunter2')
  })

  it('says a failure as a JSON document when asked to', async () => {
    const unreachable = await warren(['demo', '--json', '--url', 'amqp://me:hunter2@127.0.0.1:1'])
    const misspelt = await warren(['dmo', '--json'])

    expect(JSON.parse(unreachable.stdout)).toMatchObject({ error: { code: 'CONNECTION_REFUSED' } })
    expect(JSON.parse(misspelt.stdout)).toMatchObject({ error: { code: 'BAD_USAGE' } })
    expect([unreachable.exitCode, misspelt.exitCode]).toEqual([1, 2])
  })
})
