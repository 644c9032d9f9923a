import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { escapeIdentifier, type Pool } from 'pg'
import type { DedupeStore } from 'warrenmq'

export interface PostgresDedupeOptions {
  /** @default 'warren_dedupe' */
  readonly table?: string
}

export interface PostgresDedupeStore extends DedupeStore {
  /** Creates the table if it is not there. Put it into your migrations instead, if you have any. */
  createTable(): Promise<void>
  /** Deletes what has run out and gives how many; call it now and then. Nothing depends on it but the disk. */
  forgetExpired(): Promise<number>
}

/** Remembers in PostgreSQL which messages are done, for all processes that share the table. */
export function postgresDedupeStore(
  pool: Pick<Pool, 'query'>,
  options: PostgresDedupeOptions = {},
): PostgresDedupeStore {
  const sql = statementsFor(options.table ?? 'warren_dedupe')
  /** Tokens, by key, that the table may have although the answer never came. The next who asks for the key takes it up. */
  const inDoubt = new Map<string, string>()
  const query = (text: string, values: unknown[] = []) => persist(() => pool.query(text, values))

  async function ask(key: string, token: string, leaseMs: number): Promise<'new' | 'busy' | 'done'> {
    for (;;) {
      const { rowCount } = await query(sql.begin, [key, token, leaseMs])
      if (rowCount === 1) return 'new'
      const { rows } = await query(sql.look, [key])
      // No row: it was released, or ran out, between the two statements. So it can be claimed.
      if (rows[0] !== undefined) return rows[0].is_done ? 'done' : 'busy'
    }
  }

  return {
    begin: async (key, leaseMs) => {
      // A claim is told from every other one, so that asking for it twice is asking for it once.
      const token = inDoubt.get(key) ?? randomUUID()
      inDoubt.delete(key)
      try {
        const answer = await ask(key, token, leaseMs)
        return answer === 'new' ? { key, token } : answer
      } catch (error) {
        inDoubt.set(key, token)
        throw error
      }
    },
    finish: async ({ key, token }, keepMs) => (await query(sql.finish, [key, token, keepMs])).rowCount === 1,
    release: async ({ key, token }) => {
      try {
        await query(sql.release, [key, token])
      } catch (error) {
        inDoubt.set(key, token)
        throw error
      }
    },
    createTable: async () => {
      for (const statement of sql.createTable) await query(statement)
    },
    forgetExpired: async () => (await query(sql.forgetExpired)).rowCount ?? 0,
  }
}

/**
 * A row has the token of whoever is at the message; one that is done has none. Only the claim that holds the row ends:
 * one that ran out may be another process's by now.
 */
function statementsFor(name: string) {
  const table = escapeIdentifier(name)
  const later = (parameter: string) => `clock_timestamp() + ${parameter} * interval '1 millisecond'`
  return {
    createTable: [
      `CREATE TABLE IF NOT EXISTS ${table} (key text PRIMARY KEY, claim uuid, expires_at timestamptz NOT NULL)`,
      `CREATE INDEX IF NOT EXISTS ${escapeIdentifier(`${name}_expires_at`)} ON ${table} (expires_at)`,
    ],
    begin: `
      INSERT INTO ${table} AS known (key, claim, expires_at) VALUES ($1, $2, ${later('$3')})
      ON CONFLICT (key) DO UPDATE SET claim = excluded.claim, expires_at = excluded.expires_at
      WHERE known.expires_at <= clock_timestamp() OR known.claim = excluded.claim`,
    look: `SELECT claim IS NULL AS is_done FROM ${table} WHERE key = $1 AND expires_at > clock_timestamp()`,
    finish: `
      INSERT INTO ${table} AS known (key, claim, expires_at) VALUES ($1, NULL, ${later('$3')})
      ON CONFLICT (key) DO UPDATE SET claim = NULL, expires_at = excluded.expires_at
      WHERE known.claim IS NULL OR known.claim = $2::uuid OR known.expires_at <= clock_timestamp()`,
    release: `DELETE FROM ${table} WHERE key = $1 AND claim = $2`,
    forgetExpired: `DELETE FROM ${table} WHERE expires_at <= clock_timestamp()`,
  }
}

/** With the pauses between them, twelve seconds. */
const tries = 8

/** Each statement may run twice without harm, so a lost connection costs a pause and not the message. */
async function persist<T>(ask: () => Promise<T>): Promise<T> {
  for (let tried = 1; tried < tries; tried += 1) {
    try {
      return await ask()
    } catch {
      await pause(50 * 2 ** tried)
    }
  }
  return ask()
}
