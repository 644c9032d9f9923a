/** How many resources of each kind keep this process alive: sockets, timers, handles. For leak tests. */
export function resourceCounts(): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const kind of process.getActiveResourcesInfo()) counts[kind] = (counts[kind] ?? 0) + 1
  return counts
}
