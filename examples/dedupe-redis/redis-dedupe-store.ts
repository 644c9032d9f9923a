import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { DedupeStore } from 'warrenmq'

/** What is needed of node-redis; a client, a pool, a cluster and a sentinel all have it. */
export interface RedisScripts {
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>
}

export interface RedisDedupeOptions {
  /** Begins every key. @default 'warren:dedupe:' */
  readonly prefix?: string
}

// The value is `done`, or the token of whoever is at it. Scripts run alone in Redis, so each of these is one step.
// Only the claim that holds the key ends: one that ran out may be another process's by now.
const beginScript = `
local value = redis.call('GET', KEYS[1])
if value == 'done' then return 'done' end
if value and value ~= ARGV[1] then return 'busy' end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 'new'`
const finishScript = `
local value = redis.call('GET', KEYS[1])
if value and value ~= 'done' and value ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], 'done', 'PX', ARGV[2])
return 1`
const releaseScript = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end`

/** Remembers in Redis which messages are done, for all processes that share it. */
export function redisDedupeStore(redis: RedisScripts, options: RedisDedupeOptions = {}): DedupeStore {
  const { prefix = 'warren:dedupe:' } = options
  /** Tokens, by key, that Redis may have although the answer never came. The next who asks for the key takes it up. */
  const inDoubt = new Map<string, string>()

  function run(script: string, key: string, ...values: readonly (string | number)[]): Promise<unknown> {
    return persist(() => redis.eval(script, { keys: [prefix + key], arguments: values.map(String) }))
  }

  return {
    begin: async (key, leaseMs) => {
      // A claim is told from every other one, so that asking for it twice is asking for it once.
      const token = inDoubt.get(key) ?? randomUUID()
      inDoubt.delete(key)
      try {
        const answer = (await run(beginScript, key, token, leaseMs)) as 'new' | 'busy' | 'done'
        return answer === 'new' ? { key, token } : answer
      } catch (error) {
        inDoubt.set(key, token)
        throw error
      }
    },
    finish: async ({ key, token }, keepMs) => (await run(finishScript, key, token, keepMs)) === 1,
    release: async ({ key, token }) => {
      try {
        await run(releaseScript, key, token)
      } catch (error) {
        inDoubt.set(key, token)
        throw error
      }
    },
  }
}

/** With the pauses between them, twelve seconds. */
const tries = 8

/** Each of the scripts may run twice without harm, so a lost connection costs a pause and not the message. */
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
