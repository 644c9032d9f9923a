import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { findBrokerSource } from '../../support/source/find-broker-source.ts'
import { useBroker } from '../../support/use-broker.ts'

const broker = await useBroker()

/** Changes the environment for one test; undefined takes a variable away. */
function setEnvironment(changes: Readonly<Record<string, string | undefined>>): void {
  for (const [name, value] of Object.entries(changes)) {
    const before = process.env[name]
    onTestFinished(() => setVariable(name, before))
    setVariable(name, value)
  }
}

function setVariable(name: string, value: string | undefined): void {
  if (value === undefined) delete process.env[name]
  else process.env[name] = value
}

const nowhere = { AMQP_URL: undefined, MANAGEMENT_URL: undefined }

test('a broker that somebody gives is the last resort', async () => {
  setEnvironment({ AMQP_URL: 'amqp://broker.example', MANAGEMENT_URL: 'http://broker.example:15672' })

  expect(await findBrokerSource({ version: undefined, kind: 'url' })).toEqual({
    kind: 'url',
    amqpUrl: 'amqp://broker.example',
    managementUrl: 'http://broker.example:15672',
  })
})

test('where no broker can be had, the sentence says what to do', async () => {
  setEnvironment(nowhere)

  await expect(findBrokerSource({ version: '4.0', kind: 'url' })).rejects.toThrow(
    'No RabbitMQ 4.0 can be had here: run as root on Debian, start Docker, ' +
      'or set AMQP_URL and MANAGEMENT_URL to a broker that tests may use.',
  )
})

test('half of an address is told apart from none', async () => {
  setEnvironment({ ...nowhere, AMQP_URL: 'amqp://broker.example' })

  await expect(findBrokerSource({ version: undefined, kind: 'url' })).rejects.toThrow(
    'AMQP_URL is set but MANAGEMENT_URL is not; the tests need both.',
  )
})

/** Runs one file of these tests in another vitest, with a broker of the kind `url` or none. */
function runTests(file: string, environment: NodeJS.ProcessEnv): Promise<{ code: number; output: string }> {
  const vitest = [join(process.cwd(), 'node_modules/vitest/vitest.mjs'), 'run', '--project', 'integration']
  const { AMQP_URL: _, MANAGEMENT_URL: __, ...inherited } = process.env
  const silent = { WARREN_BROKER_REPORT: '', WARREN_TEST_RESULTS: '' }
  const env = { ...inherited, ...silent, WARREN_BROKER_SOURCE: 'url', ...environment }
  return new Promise((resolve) => {
    execFile(process.execPath, [...vitest, file], { env }, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), output: `${stdout}${stderr}` }),
    )
  })
}

test('in CI a missing broker is a failure, never a skip, and so is a node that cannot be started', async () => {
  const given = { AMQP_URL: broker.url, MANAGEMENT_URL: broker.managementUrl }

  const [withoutBroker, withoutNodes] = await Promise.all([
    runTests('test/integration/support/use-broker.test.ts', { CI: 'true' }),
    runTests('test/integration/support/node-tls.test.ts', { CI: 'true', ...given }),
  ])

  expect(withoutBroker).toMatchObject({ code: 1, output: expect.stringContaining('can be had here: run as') })
  expect(withoutNodes).toMatchObject({ code: 1, output: expect.stringContaining('needs a node of its own') })
})
