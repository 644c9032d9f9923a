import { execFile } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { useBroker } from '../support/use-broker.ts'

const broker = await useBroker()

/** Runs the built command as a person would, without a terminal. */
function warren(args: readonly string[], env: Record<string, string> = {}) {
  return new Promise<{ exitCode: number; stdout: string; stderr: string }>((resolve) => {
    const options = { env: { PATH: process.env.PATH ?? '', ...env } }
    execFile(process.execPath, ['dist/cli/main.js', ...args], options, (error, stdout, stderr) => {
      resolve({ exitCode: typeof error?.code === 'number' ? error.code : 0, stdout, stderr })
    })
  })
}

describe('warren demo', () => {
  it('ends by itself on the embedded broker, with numbers that add up', async () => {
    const { exitCode, stdout, stderr } = await warren(['demo'])

    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    expect(stdout).toContain('1000 = 990 handled + 0 left + 10 returned')
    expect(stdout).not.toContain('\u001b[')
  })

  it('tells the same of a real broker, and leaves nothing behind', async () => {
    const { exitCode, stdout } = await warren(['demo'], { AMQP_URL: broker.url })

    expect(exitCode).toBe(0)
    expect(stdout).toContain(`RabbitMQ ${broker.version}`)
    expect(await broker.management('GET', `/api/queues/${broker.vhost}`)).toEqual([])
  })

  it('prints exactly one JSON document on stdout when asked to', async () => {
    const { stdout, stderr } = await warren(['demo', '--json'])

    expect(JSON.parse(stdout)).toMatchObject({ published: 1000, confirmed: 990, returned: 10, addsUp: true })
    expect(stderr).toContain('1000 = 990 handled')
  })
})

describe('warren', () => {
  it('shows its version and its commands', async () => {
    expect((await warren(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
    expect((await warren(['--help'])).stdout).toContain('demo')
    expect((await warren(['demo', '--help'])).stdout).toContain('Example:\n  warren demo')
  })

  it('suggests the command that was meant', async () => {
    const { exitCode, stderr } = await warren(['dmo'])

    expect(exitCode).toBe(2)
    expect(stderr).toContain('Did you mean demo?')
  })

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
