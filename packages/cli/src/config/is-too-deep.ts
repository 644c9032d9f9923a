import { Parser } from 'yaml'

/** A file that somebody wrote has a few levels; who reads it calls itself for each, and a stack is finite. */
export const mostLevels = 100

export const tooDeep: string = `it is nested more than ${mostLevels} deep`

/** Whether a value has more levels than anything of ours reads. */
export function isTooDeep(value: unknown, most: number = mostLevels): boolean {
  let level: readonly unknown[] = [value]
  for (let depth = 0; depth <= most; depth += 1) {
    level = level.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []))
    if (level.length === 0) return false
  }
  return true
}

/** The same of a YAML text, before it becomes a value: the library calls itself for each level. */
export function isYamlTooDeep(text: string): boolean {
  // Per level a token has at most four: the collection, its items, the item, and what is in it.
  return [...new Parser().parse(text)].some((token) => isTooDeep(token, 4 * mostLevels))
}
