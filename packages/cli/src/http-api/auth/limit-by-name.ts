import { limitConcurrency, type RunLimited } from 'warrenmq/operations'

export type RunLimitedByName = <Result>(name: string, work: () => Promise<Result>) => Promise<Result>

/** Lets so much work at once run under each name; the rest waits. */
export function limitByName(most: number): RunLimitedByName {
  const limits = new Map<string, { readonly run: RunLimited; present: number }>()
  return async (name, work) => {
    const entry = limits.get(name) ?? { run: limitConcurrency(most), present: 0 }
    limits.set(name, entry)
    entry.present += 1
    try {
      return await entry.run(work)
    } finally {
      entry.present -= 1
      if (entry.present === 0) limits.delete(name)
    }
  }
}
