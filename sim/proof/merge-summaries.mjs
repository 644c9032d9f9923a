/** Documents of several ranges of seeds as one. Each tells of its own commit. */
export function mergeSummaries(summaries) {
  const pieces = summaries.toSorted((one, other) => one.from - other.from)
  const total = (name) => pieces.reduce((sum, piece) => sum + piece[name], 0)
  return {
    from: pieces[0].from,
    to: Math.max(...pieces.map(({ to }) => to)),
    ranges: joinRanges(pieces),
    profiles: [...new Set(pieces.flatMap(({ profiles }) => profiles))],
    isRotating: pieces.every(({ isRotating }) => isRotating),
    isTwice: pieces.every(({ isTwice }) => isTwice),
    commits: [...new Set(pieces.map(({ commit }) => commit))],
    machine: pieces[0].machine,
    runs: total('runs'),
    tookSeconds: total('tookSeconds'),
    cpuSeconds: total('cpuSeconds'),
    virtualHours: Number(total('virtualHours').toFixed(1)),
    events: total('events'),
    layouts: addCounts(pieces.map(({ layouts }) => layouts)),
    faults: addCounts(pieces.map(({ faults }) => faults)),
    violations: pieces.flatMap(({ violations, commit }) => violations.map((each) => ({ ...each, commit }))),
  }
}

/** Pieces that follow each other are one range. */
function joinRanges(pieces) {
  const ranges = []
  for (const { from, to } of pieces) {
    const last = ranges.at(-1)
    if (last && from <= last.to + 1) last.to = Math.max(last.to, to)
    else ranges.push({ from, to })
  }
  return ranges
}

function addCounts(all) {
  const counts = new Map()
  for (const each of all)
    for (const [name, count] of Object.entries(each)) counts.set(name, (counts.get(name) ?? 0) + count)
  return Object.fromEntries([...counts].sort(([one], [other]) => one.localeCompare(other)))
}
