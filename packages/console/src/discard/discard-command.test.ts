import { expect, it } from 'vitest'
import { discardCommand } from './discard-command.ts'

const about = { queue: 'a.dlq', reason: '' }

it('a command removes what was chosen, and nothing besides', () => {
  expect(discardCommand(about, { keys: ['0cc1', '92eb'] })).toBe(
    'npx @warrenmq/cli dlq discard a.dlq --out a.dlq.backup --key 0cc1 --key 92eb',
  )
  expect(discardCommand({ ...about, reason: 'too old' }, { where: 'died>2h' })).toBe(
    "npx @warrenmq/cli dlq discard a.dlq --out a.dlq.backup --where 'died>2h' --reason 'too old'",
  )
})
