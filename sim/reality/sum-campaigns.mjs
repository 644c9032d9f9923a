/** Adds the runs up by participant, version and number of nodes; for the page of the proof. */
export function sumCampaigns(campaigns) {
  const rows = new Map()
  for (const campaign of campaigns) {
    const { participant, version, nodes } = campaign
    const key = `${participant} ${version} ${nodes}`
    const row = rows.get(key) ?? { participant, version, nodes, runs: 0, violations: [] }
    rows.set(key, {
      ...row,
      runs: row.runs + 1,
      broker: campaign.broker,
      settings: campaign.settings,
      violations: [...row.violations, ...campaign.violations],
      ...addUp(row, campaign, ['rounds', 'seconds', 'cutsAndPauses', 'nodeKills', 'duplicatesAllowed']),
      faults: addUp(row.faults, campaign.faults),
      messages: addUp(row.messages, campaign.messages),
      counts: addUp(row.counts, campaign.counts),
      receipts: addUp(row.receipts, campaign.receipts),
    })
  }
  return [...rows.values()]
}

function addUp(one = {}, other = {}, names = [...new Set([...Object.keys(one), ...Object.keys(other)])]) {
  return Object.fromEntries(names.map((name) => [name, (one[name] ?? 0) + (other[name] ?? 0)]))
}
