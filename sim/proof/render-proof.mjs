/** The page docs/proof.md, from the results of real runs. */
export function renderProof({ seeds, bugs, finds }) {
  const { violations, runs, isTwice } = seeds
  const found = bugs.bugs.filter(({ rule }) => rule !== undefined)
  return `# The proof

<!-- Written by npm run proof, from sim/results. Do not edit it. -->

Warren is tested as a whole in one simulated world: publishers, consumers of every layout, operators, admin servers and a broker run in one thread, on a
virtual clock, and a seed decides what happens to them. The claim is one sentence: **whatever the broker confirmed is in a queue, in hand, handled or in
a sealed file, and every number that Warren reports is true.** [The simulation](../sim/README.md) says how it works.

## The seeds

${table([
  ['what', 'how much'],
  [
    'runs',
    `${number(runs)}, from seed ${seeds.from} to ${seeds.to}, on the rules of RabbitMQ ${seeds.profiles.join(', ')}`,
  ],
  ['promises broken', violations.length === 0 ? 'none' : number(violations.length)],
  [
    'the same seed does the same thing',
    isTwice ? 'yes: each ran twice, and the hashes of both traces were equal' : 'not compared in this run',
  ],
  ['virtual time', `${number(seeds.virtualHours)} hours`],
  [
    'real time',
    `${number(seeds.tookSeconds)} seconds on ${seeds.machine}; ${number(seeds.cpuSeconds)} seconds of processor time`,
  ],
  [
    'virtual time against processor time',
    `${number(Math.round((seeds.virtualHours * 3600) / seeds.cpuSeconds))} to 1`,
  ],
  ['events', number(seeds.events)],
  ['faults', number(sum(Object.values(seeds.faults)))],
])}
${violations.length === 0 ? '' : `\nBroken promises:\n\n${violations.map(({ seed, profile, rule, detail }) => `- seed ${seed} on ${profile}, \`${rule}\`: ${cell(detail)}`).join('\n')}\n`}
Faults by kind: ${Object.entries(seeds.faults)
    .map(([kind, count]) => `${kind} ${number(count)}`)
    .join(', ')}.

## Planted bugs

Each of these bugs was put into a build of its own, one at a time. The simulation had to find it without knowing it. The number is the seed
that found it; the search began with seed 1.

${table([
  ['bug', 'found by seed', 'rule that it breaks'],
  ...bugs.bugs.map(({ name, seeds: tried, rule }) => [
    name,
    rule === undefined ? `not in ${number(tried)} seeds` : number(tried),
    rule === undefined ? '' : `\`${rule}\``,
  ]),
])}

${number(found.length)} of the ${number(bugs.bugs.length)} bugs that were tried were found.${bugs.planted - bugs.bugs.length > 0 ? ` ${number(bugs.planted - bugs.bugs.length)} more are planted and were not tried in this run.` : ''}

## What it found in Warren

${finds.length === 0 ? 'Nothing yet in the code of the library.' : finds.map(({ what, seed, mend }) => `- ${what} (${seed}). ${mend}`).join('\n')}

## What is not proved

- The broker in the simulation is the embedded one. That it does what RabbitMQ does is shown by the conformance tests, and only for what they try.
- A cluster is not simulated: one node crashes and comes back, and no node disagrees with another. Tests with three real nodes are in \`test/faults/cluster\`.
- The histories of the simulation are not replayed on real brokers, so there are no counts per version and none for a cluster here. Real brokers have
  campaigns of their own: \`npm run nightly\`.
- Other clients (Shovel, amqplib, rascal) have not been put under this nemesis, so nothing is said about what they would lose.
- A nack of a queue that refuses when it is full is taken for a refusal. If such a queue took a message and nacked it all the same, a receipt would not
  count that copy. The simulation does not do that.
- The run above is as long as it says. A seed beyond it may break a promise.
- The HTTP server itself is not simulated, only its tasks and its audit log; neither are TLS, threads, and what Node's own streams do.
- A checker sees only what it looks for. Bugs above that were not found are the measure of that.
- A simulated disk that is synced keeps what it was given. Real disks may not.

## Do it again

\`\`\`sh
npm run -s sim -- --seeds ${seeds.from}-${seeds.to} --summary > sim/results/seeds.json
npm run -s sim:bugs -- --seeds 1000 --out sim/results/bugs.json
npm run proof
\`\`\`
`
}

function table([head, ...rows]) {
  const all = [head, ...rows].map((row) => row.map((value) => cell(value)))
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column].length)))
  const line = (row) => `| ${row.map((value, column) => value.padEnd(widths[column])).join(' | ')} |`
  return [
    line(all[0]),
    `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`,
    ...all.slice(1).map(line),
  ].join('\n')
}

function cell(text) {
  return String(text).replaceAll('|', '\\|').replaceAll('\n', ' ')
}

function number(value) {
  return value.toLocaleString('en-US')
}

function sum(values) {
  return values.reduce((total, value) => total + value, 0)
}
