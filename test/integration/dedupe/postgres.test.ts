import { randomUUID } from 'node:crypto'
import { Pool } from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { postgresDedupeStore } from '../../../examples/dedupe-postgres/postgres-dedupe-store.ts'
import { eventually } from '../../support/eventually.ts'
import { startPostgres } from '../../support/services/start-postgres.ts'
import { useService } from '../../support/services/use-service.ts'
import { useBroker } from '../../support/use-broker.ts'
import { describeDedupeStore } from './describe-dedupe-store.ts'

const broker = await useBroker()
const server = await useService(startPostgres)

describeDedupeStore('postgres', { server, broker })

it.skipIf(!server)('a table of any name is swept of what has run out, and of nothing else', async () => {
  const pool = new Pool({ connectionString: server!.url })
  onTestFinished(() => pool.end())
  const store = postgresDedupeStore(pool, { table: 'handled "once"' })
  await store.createTable()
  await store.createTable()
  const token = randomUUID()
  await store.finish({ key: 'old', token }, 1)
  await store.finish({ key: 'fresh', token }, 600_000)
  await store.begin('under way', 600_000)

  const forgotten = await eventually(async () => {
    const count = await store.forgetExpired()
    return count > 0 && count
  })

  expect(forgotten).toBe(1)
  const { rows } = await pool.query('SELECT key FROM "handled ""once""" ORDER BY key')
  expect(rows).toEqual([{ key: 'fresh' }, { key: 'under way' }])
})
