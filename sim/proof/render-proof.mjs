import { renderPeers, renderReality } from './render-reality.mjs'
import { renderSeeds } from './render-seeds.mjs'
import { number, table } from './table.mjs'

/** The page docs/proof.md, from the results of real runs. `long`, `reality` and `peers` may be missing. */
export function renderProof({ seeds, long, bugs, finds, reality, peers }) {
  return `# The proof

<!-- Written by npm run proof, from sim/results. Do not edit it. -->

Warren is tested as a whole in one simulated world: publishers, consumers of every layout, operators, admin servers and a broker run in one thread, on a
virtual clock, and a seed decides what happens to them. The claim is one sentence: **whatever the broker confirmed is in a queue, in hand, handled or in
a sealed file, and every number that Warren reports is true.** [The simulation](../sim/README.md) says how it works.

${renderSeeds({ seeds, long })}

${renderReality(reality)}

${renderPeers(peers)}

${renderBugs(bugs)}

## What it found

Each was mended in the code that users get, with a test beside it, unless it says otherwise.

${table([['what', 'found by', 'mend'], ...finds.map(({ what, seed, mend }) => [what, seed, mend])])}

${renderLimits({ reality, peers, long })}

## Do it again

\`\`\`sh
npm run -s sim -- --seeds ${seeds.from}-${seeds.to} --summary > sim/results/seeds.json
npm run -s sim:bugs -- --seeds 1000 --out sim/results/bugs.json
npm run -s sim:long -- --seeds 1-100000
npm run proof
\`\`\`
`
}

function renderBugs({ planted, bugs }) {
  const commits = [...new Set(bugs.flatMap(({ commit }) => commit ?? []))]
  const found = bugs.filter(({ rule }) => rule !== undefined)
  const untried = planted - bugs.length
  return `## Planted bugs

Each of these bugs was put into a build of its own, one at a time. The simulation had to find it without knowing it. The number is the seed
that found it; the search began with seed 1.

${table([
  ['bug', 'found by seed', 'rule that it breaks'],
  ...bugs.map(({ name, seeds: tried, rule }) => [
    name,
    rule === undefined ? `not in ${number(tried)} seeds` : number(tried),
    rule === undefined ? '' : `\`${rule}\``,
  ]),
])}

${number(found.length)} of the ${number(bugs.length)} bugs that were tried were found.${untried > 0 ? ` ${number(untried)} more are planted and were not tried in this run.` : ''}${commits.length > 0 ? ` Commits: ${commits.join(', ')}${bugs.some(({ commit }) => commit === undefined) ? ', and one that was not written down' : ''}.` : ''}`
}

/** What the campaigns on real brokers are to have on each version. */
const wanted = { cutsAndPauses: 9_000, nodeKills: 300 }

function tellShort({ campaigns }) {
  const short = campaigns.filter(
    ({ nodes, cutsAndPauses, nodeKills }) =>
      nodes === 1 && (cutsAndPauses < wanted.cutsAndPauses || nodeKills < wanted.nodeKills),
  )
  if (short.length === 0) return []
  return [
    `The campaigns on real brokers are short of what they are meant to be, ${number(wanted.cutsAndPauses)} cuts and pauses and ${number(wanted.nodeKills)} kills of a node on each version: ${short.map(({ where, cutsAndPauses, nodeKills }) => `${where} has ${number(cutsAndPauses)} and ${number(nodeKills)}`).join(', ')}.`,
  ]
}

function renderLimits({ reality, peers, long }) {
  const limits = [
    'The broker in the simulation is the embedded one. That it does what RabbitMQ does is shown by the conformance tests, and only for what they try.',
    'A cluster is not simulated: one node crashes and comes back, and no node disagrees with another. Tests with three real nodes are in `test/faults/cluster`.',
    ...(reality ? tellShort(reality) : ['There are no counts of real brokers on this page yet.']),
    ...(peers
      ? []
      : [
          'Other clients (Shovel, amqplib, rascal) have not been put under this nemesis, so nothing is said about what they would lose.',
        ]),
    'A nack of a queue that refuses when it is full is taken for a refusal. If such a queue took a message and nacked it all the same, a receipt would not count that copy. The simulation does not do that.',
    'The runs above are as long as they say. A seed beyond them may break a promise.',
    ...(long?.isTwice === false
      ? ['In the long run each seed ran once: that the same seed does the same thing was compared in CI.']
      : []),
    'The HTTP server itself is not simulated, only its tasks and its audit log; neither are TLS, threads, and what the streams of Node do.',
    'A checker sees only what it looks for. Bugs above that were not found are the measure of that.',
    'A simulated disk that is synced keeps what it was given. Real disks may not.',
  ]
  return `## What is not proved

${limits.map((limit) => `- ${limit}`).join('\n')}`
}
