import { expect, test } from 'vitest'
import { splitTests } from '../../support/split-tests.ts'

const folders = ['test/integration', 'test/faults', 'test/e2e'].map(splitTests)
const embedded = folders.flatMap((folder) => folder.embedded)
const onRabbit = folders.flatMap((folder) => folder.onRabbit)

test.each([
  ['runs on the embedded broker', 'test/faults/recovery-redrive-exhaustive.test.ts'],
  ['runs on a scripted server', 'test/integration/broker/hostile-broker.test.ts'],
  ['runs the built command', 'test/e2e/cli.test.ts'],
  ['imports no more than the type of a vhost', 'test/e2e/help.test.ts'],
])('a test file that %s needs no RabbitMQ', (_, file) => {
  expect(embedded).toContain(file)
  expect(onRabbit).not.toContain(file)
})

test.each([
  ['uses the broker of the run', 'test/integration/support/use-broker.test.ts'],
  ['uses it through a rig', 'test/integration/http-api/names.test.ts'],
  ['starts a node of its own', 'test/faults/publish-survives.test.ts'],
  ['looks for one that can be started', 'test/integration/support/missing-broker.test.ts'],
  ['uses the embedded broker and the one of the run', 'test/integration/recovery/redrive-let-go.test.ts'],
])('a test file that %s needs RabbitMQ', (_, file) => {
  expect(onRabbit).toContain(file)
  expect(embedded).not.toContain(file)
})
