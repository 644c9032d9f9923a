const steps = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
] as const

/** How long something takes, in its largest unit: "40 s", "3 min", "2 h", "6 d". */
export function formatAge(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000))
  for (const [length, unit] of steps) if (seconds >= length) return `${Math.floor(seconds / length)} ${unit}`
  return `${seconds} s`
}
