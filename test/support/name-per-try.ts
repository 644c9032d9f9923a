let tries = 0

/** A name that no other try has used: CI tries a test twice, and the second must not find what the first one left. */
export function namePerTry(name: string): string {
  tries += 1
  return `${name}-${tries}`
}
