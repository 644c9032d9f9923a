// Adds the runs of campaigns up, and writes the documents that docs/proof.md is made from.
//   node sim/reality/write-results.mjs runs.json…
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sumCampaigns } from './sum-campaigns.mjs'

const results = join(import.meta.dirname, '../results')
const runs = process.argv
  .slice(2)
  .flatMap((file) => JSON.parse(readFileSync(file, 'utf8')).campaigns)
  .filter(({ rounds }) => rounds > 0)
const isPeer = ({ settings }) => settings !== undefined
const ours = runs.filter((run) => !isPeer(run))
const theirs = runs.filter(isPeer)
if (ours.length > 0) write('reality.json', { campaigns: sumCampaigns(ours), runs: ours.map(short) })
if (theirs.length > 0) write('peers.json', peersOf(theirs))

function write(name, document) {
  writeFileSync(join(results, name), `${JSON.stringify(document, undefined, 2)}\n`)
}

/** Enough to see what was added up. */
function short({
  where,
  commit,
  seeds,
  rounds,
  seconds,
  cutsAndPauses,
  nodeKills,
  published,
  lost,
  duplicated,
}) {
  return { where, commit, seeds, rounds, seconds, cutsAndPauses, nodeKills, published, lost, duplicated }
}

function peersOf(all) {
  const rows = sumCampaigns(all.map((run) => ({ ...run, where: run.participant })))
  const [first] = rows
  const kinds = (names) => names.reduce((sum, name) => sum + (first.faults[name] ?? 0), 0)
  return {
    command: 'npm run reality:peers -- --version 4.3 --seed 1',
    commit: first.commit,
    where: [...new Set(all.map(({ where }) => where))].toSorted().join(', '),
    nemesis: `Everybody moves messages from one quorum queue into another, on the same node and under the same plan of faults. ${first.rounds === 1 ? '1 run' : `${first.rounds} runs`} with ${first.nodeKills} kills of the node and ${kinds(['broker-pause'])} pauses of it; of the first participant, ${kinds(['cut', 'black-hole', 'stall', 'slow'])} connections cut or held up, and of its process: kill ${kinds(['kill'])}, pause ${kinds(['pause'])}; now and then the target refused messages for a moment.`,
    peers: rows.map((row) => ({
      name: row.where,
      what: row.settings,
      runs: row.rounds,
      messages: row.confirmed,
      lost: row.lost,
      recovered: row.recovered,
      unexpected: row.unexpected,
      duplicated: row.duplicated,
      stuck: row.stuck,
      note: row.left > 0 ? `${row.left} still to be moved a minute after the faults` : '',
    })),
  }
}
