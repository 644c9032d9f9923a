const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const

/** How long ago, in the largest unit that fits: `3 d`. */
export function renderAge(ageMs: number): string {
  const [name, size] = units.find(([, unitMs]) => ageMs >= unitMs) ?? units[3]
  return `${Math.max(0, Math.floor(ageMs / size))} ${name}`
}
