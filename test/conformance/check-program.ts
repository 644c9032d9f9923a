import type { ProfileName } from '../../src/embedded/model/profile.ts'
import type { Method } from '../../src/wire/method-specs.ts'
import { followOnRabbit, runOnEmbedded, type Verdict } from './compare.ts'
import type { Program } from './program.ts'
import { connectRaw } from './raw-client.ts'

/** A vhost of a real broker, and the profile that should behave like it. */
export interface Judge {
  readonly url: string
  readonly vhost: string
  readonly profile: ProfileName
}

let programCount = 0

/** Runs a program on both brokers. A run that was too slow to be judged is tried again. */
export async function checkProgram(program: Program, judge: Judge): Promise<Verdict> {
  for (let attempt = 1; ; attempt += 1) {
    programCount += 1
    const prefix = `p${programCount}.`
    const script = await runOnEmbedded(program, { ...judge, prefix })
    const verdict = await followOnRabbit(script, { url: judge.url, prefix })
    await removeRemains(judge.url, prefix)
    if (verdict.kind !== 'too-slow' || attempt === maxAttempts) return verdict
  }
}

const maxAttempts = 4

/** Real brokers settle some things by chance, e.g. which of two queues is faster: a difference must come twice. */
export async function isDifferent(program: Program, judge: Judge): Promise<boolean> {
  const first = await checkProgram(program, judge)
  return first.kind === 'different' && (await checkProgram(program, judge)).kind === 'different'
}

async function removeRemains(url: string, prefix: string): Promise<void> {
  const client = await connectRaw(url, () => undefined)
  const deletions: readonly (readonly [Method, 'queue.delete-ok' | 'exchange.delete-ok'])[] = [
    ...['q1', 'q2', 'q3'].map(
      (name) =>
        [
          { name: 'queue.delete', queue: prefix + name, ifUnused: false, ifEmpty: false, noWait: false },
          'queue.delete-ok',
        ] as const,
    ),
    ...['x1', 'x2'].map(
      (name) =>
        [
          { name: 'exchange.delete', exchange: prefix + name, ifUnused: false, noWait: false },
          'exchange.delete-ok',
        ] as const,
    ),
  ]
  // One channel each: an exclusive queue may still be on its way out, and its refusal closes the channel.
  for (const [at, [method, answer]] of deletions.entries()) {
    const channel = at + 1
    client.send(channel, { name: 'channel.open' })
    await client.expect(channel, 'channel.open-ok')
    client.send(channel, method)
    await Promise.race([client.expect(channel, answer), client.expect(channel, 'channel.close')])
  }
  await client.close()
}
