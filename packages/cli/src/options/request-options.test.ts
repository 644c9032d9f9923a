import { expect, test } from 'vitest'
import { runCliHere } from '../../../../test/support/run-cli-here.ts'

const commands = ['peek', 'causes', 'redrive', 'discard', 'backup'].map((name) => `dlq ${name}`)

test.each(commands)('%s refuses a second --where instead of forgetting the first', async (command) => {
  const { exitCode, said } = await runCliHere([
    ...command.split(' '),
    'q.dlq',
    '--where',
    'id:1',
    '--where',
    'id:2',
  ])

  expect(exitCode).toBe(2)
  expect(said).toContain('It is given twice. Join the filters with "and" or "or" in one --where.')
})

test('dlq causes refuses a second --group-by instead of forgetting the first', async () => {
  const { exitCode, said } = await runCliHere([
    'dlq',
    'causes',
    'q.dlq',
    '--group-by',
    'type',
    '--group-by',
    'key',
  ])

  expect(exitCode).toBe(2)
  expect(said).toContain('It is given twice. Separate the fields with commas: type,body.gateway.')
})
