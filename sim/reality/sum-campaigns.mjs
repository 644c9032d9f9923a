const numbers = [
  ...[
    'rounds',
    'seconds',
    'cutsAndPauses',
    'nodeKills',
    'published',
    'confirmed',
    'handled',
    'queued',
    'sealed',
  ],
  ...['lost', 'recovered', 'unexpected', 'duplicated', 'duplicatesAllowed', 'left', 'stuck'],
  ...['receipts', 'exactReceipts', 'restores', 'falseReceipts'],
]

/** Adds runs up: one row for each place. */
export function sumCampaigns(runs) {
  const rows = new Map()
  for (const run of runs) {
    const row = rows.get(run.where) ?? { faults: {}, violations: [], seeds: [], minutes: 0 }
    const { participant, where, version, nodes, settings } = run
    const sum = Object.fromEntries(numbers.map((name) => [name, (row[name] ?? 0) + (run[name] ?? 0)]))
    rows.set(where, {
      participant,
      where,
      version,
      nodes,
      settings,
      commit: [...new Set([...(row.commit?.split(', ') ?? []), run.commit])].join(', '),
      command: `npm run reality -- --version ${version.split('.').slice(0, 2).join('.')}${nodes > 1 ? ` --nodes ${nodes}` : ''} --minutes 10`,
      ...sum,
      minutes: Math.round(sum.seconds / 60),
      seeds: [...row.seeds, run.seeds.join('-')],
      faults: addUp(row.faults, run.faults),
      violations: [...row.violations, ...run.violations],
    })
  }
  return [...rows.values()].toSorted((one, other) => (one.where < other.where ? -1 : 1))
}

function addUp(one, other) {
  const names = new Set([...Object.keys(one), ...Object.keys(other)])
  return Object.fromEntries([...names].map((name) => [name, (one[name] ?? 0) + (other[name] ?? 0)]))
}
