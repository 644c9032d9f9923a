import type { DedupeStore } from '../../../packages/warrenmq/src/consumer/middleware/dedupe.ts'

export type StoreKind = 'redis' | 'postgres'

/** A store on a connection of its own, as a process of its own would have it. */
export interface OpenStore {
  readonly store: DedupeStore
  /** Looks past the store whether the server has the key. */
  knows(key: string): Promise<boolean>
  close(): Promise<void>
}

export function openStore(kind: StoreKind, url: string): Promise<OpenStore> {
  return openers[kind](url)
}

// Each loads its own client only, because a process that only claims a few keys should be there soon.
const openers: Readonly<Record<StoreKind, (url: string) => Promise<OpenStore>>> = {
  redis: async (url) => {
    const { createClient } = await import('redis')
    const { redisDedupeStore } = await import('../../../examples/dedupe-redis/redis-dedupe-store.ts')
    const client = createClient({ url, socket: { reconnectStrategy: 20 } })
    // Without a listener the first lost connection would end the process.
    client.on('error', () => {})
    await client.connect()
    return {
      store: redisDedupeStore(client),
      knows: async (key) => (await client.exists(`warren:dedupe:${key}`)) === 1,
      close: async () => client.destroy(),
    }
  },
  postgres: async (url) => {
    const { Pool } = await import('pg')
    const { postgresDedupeStore } = await import('../../../examples/dedupe-postgres/postgres-dedupe-store.ts')
    const pool = new Pool({ connectionString: url, max: 4 })
    pool.on('error', () => {})
    const store = postgresDedupeStore(pool)
    await store.createTable()
    return {
      store,
      knows: async (key) =>
        (await pool.query('SELECT FROM warren_dedupe WHERE key = $1', [key])).rowCount === 1,
      close: () => pool.end(),
    }
  },
}
