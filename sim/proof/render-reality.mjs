import { cell, listCounts, number, table } from './table.mjs'

/** What real brokers did under the nemesis. */
export function renderReality(reality) {
  if (!reality) {
    return `## Real brokers

No campaign on real brokers is among the results that this page was made from. Real brokers have tests of their own: \`npm run nightly\`.`
  }
  const { campaigns } = reality
  const broken = campaigns.flatMap(({ where, violations = [] }) =>
    violations.map((each) => ({ where, ...each })),
  )
  return `## Real brokers

The same kinds of faults on real RabbitMQ, counted as RabbitMQ counts in its own Jepsen tests. **Lost**: confirmed, and nowhere. **Recovered**: without
an answer, and there all the same. **Unexpected**: there, and nobody published it. **Duplicated**: there or handled more often than it was published.

${table([
  [
    'where',
    'published',
    'confirmed',
    'lost',
    'recovered',
    'unexpected',
    'duplicated',
    'receipts',
    'false receipts',
  ],
  ...campaigns.map((each) => [
    each.version && each.version !== each.where ? `${each.where} (${each.version})` : each.where,
    number(each.published),
    number(each.confirmed),
    number(each.lost),
    number(each.recovered),
    number(each.unexpected),
    each.duplicatesAllowed === undefined
      ? number(each.duplicated)
      : `${number(each.duplicated)} of ${number(each.duplicatesAllowed)} allowed`,
    number(each.receipts),
    number(each.falseReceipts),
  ]),
])}

${table([
  ['where', 'cuts and pauses', 'kills of a node', 'faults', 'minutes', 'commit', 'again'],
  ...campaigns.map(({ where, cutsAndPauses, nodeKills, faults, minutes, commit, command }) => [
    where,
    number(cutsAndPauses),
    number(nodeKills),
    listCounts(faults),
    number(minutes),
    commit ?? '–',
    command ? `\`${command}\`` : '–',
  ]),
])}

${broken.length === 0 ? 'No promise was broken.' : `Broken promises:\n\n${broken.map(({ where, seed, rule, detail }) => `- ${where}, seed ${seed}, \`${rule}\`: ${cell(detail)}`).join('\n')}`}`
}

/** What others lost under the same nemesis. */
export function renderPeers(peers) {
  if (!peers) {
    return `## Others under the same nemesis

No other client was put under it in the results that this page was made from, so nothing is said about what they would lose.`
  }
  return `## Others under the same nemesis

${peers.nemesis}${/[.!?]$/.test(peers.nemesis) ? '' : '.'} RabbitMQ ${peers.where}${peers.commit ? `, commit ${peers.commit}` : ''}${peers.command ? `, \`${peers.command}\`` : ''}.

${table([
  [
    'who',
    'what it did',
    'runs',
    'messages',
    'lost',
    'recovered',
    'unexpected',
    'duplicated',
    'did not end',
    'note',
  ],
  ...peers.peers.map(
    ({ name, what, runs, messages, lost, recovered, unexpected, duplicated, stuck, note }) => [
      name,
      what,
      number(runs),
      number(messages),
      number(lost),
      number(recovered),
      number(unexpected),
      number(duplicated),
      number(stuck),
      note ?? '',
    ],
  ),
])}`
}
