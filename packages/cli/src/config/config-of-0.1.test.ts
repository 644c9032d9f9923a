import { expect, test } from 'vitest'
import { readRecoverySection } from 'warrenmq/operations'
import { readServerSection } from '../http-api/read-server-section.ts'
import { loadConfig } from './load-config.ts'

test('a config of 0.1 is read, with its sections for recovery and server', async () => {
  const { topology } = await loadConfig({ config: 'test/fixtures/configs-0.1/warren.config.json' })

  expect(Object.keys(topology.queues ?? {})).toEqual(['orders', 'invoices'])
  expect(readRecoverySection(topology.recovery)).toMatchObject({ queues: ['invoices.dlq'] })
  expect(readServerSection(topology.server)).toMatchObject({
    port: 15_690,
    approval: { above: 3 },
    backupFolder: './backups',
  })
})
