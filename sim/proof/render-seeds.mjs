import { cell, listCounts, number, sum, table } from './table.mjs'

const hoursOfYear = 365 * 24

/** What the runs of the simulation tried, and whether a promise was broken. */
export function renderSeeds({ seeds, long }) {
  const all = long ? [seeds, long] : [seeds]
  const rows = [
    ['what', ...(long ? ['in CI', 'the long run'] : ['in CI'])],
    ['seeds', ...all.map(nameSeeds)],
    ['runs', ...all.map(({ runs }) => number(runs))],
    ['versions', ...all.map(nameVersions)],
    [
      'promises broken',
      ...all.map(({ violations }) => (violations.length === 0 ? 'none' : nameBroken(violations))),
    ],
    ['the same seed does the same thing', ...all.map(nameHashes)],
    ['virtual time', ...all.map(({ virtualHours }) => nameTime(virtualHours))],
    [
      'real time',
      ...all.map(
        ({ tookSeconds, cpuSeconds }) =>
          `${nameSeconds(tookSeconds)}; ${nameSeconds(cpuSeconds)} of processor time`,
      ),
    ],
    [
      'virtual time against processor time',
      ...all.map(
        ({ virtualHours, cpuSeconds }) => `${number(Math.round((virtualHours * 3600) / cpuSeconds))} to 1`,
      ),
    ],
    ['events', ...all.map(({ events }) => number(events))],
    ['faults', ...all.map(({ faults }) => number(sum(Object.values(faults))))],
    ['commits', ...all.map(({ commits }) => commits.join(', '))],
  ]
  const broken = all.flatMap(({ violations }) => violations)
  return `## The seeds

${table(rows)}

Machine: ${seeds.machine}.
${broken.length === 0 ? '' : `\nBroken promises:\n\n${renderBroken(broken)}\n`}
${all.map(({ faults }, at) => `Faults by kind, ${at === 0 ? 'in CI' : 'in the long run'}: ${listCounts(faults)}.`).join('\n\n')}

${all.map(({ layouts }, at) => `Runs by layout, ${at === 0 ? 'in CI' : 'in the long run'}: ${listCounts(layouts)}.`).join('\n\n')}`
}

function nameSeeds({ ranges }) {
  return ranges.map(({ from, to }) => `${number(from)} to ${number(to)}`).join(', ')
}

function nameVersions({ profiles, isRotating }) {
  const rules = `the rules of RabbitMQ ${profiles.join(', ')}`
  return isRotating ? `each seed on one of ${rules}` : `each seed on ${rules}`
}

function nameBroken(violations) {
  const seeds = new Set(violations.map(({ seed, profile }) => `${seed}/${profile}`)).size
  return `in ${number(seeds)} ${seeds === 1 ? 'run' : 'runs'}`
}

function nameHashes({ isTwice }) {
  return isTwice
    ? 'yes: each ran twice, and the hashes of both traces were equal'
    : 'not compared; each ran once'
}

function nameTime(hours) {
  if (hours < hoursOfYear / 10) return `${number(hours)} hours`
  return `${(hours / hoursOfYear).toFixed(2)} years`
}

function nameSeconds(seconds) {
  return seconds < 7200 ? `${number(seconds)} seconds` : `${(seconds / 3600).toFixed(1)} hours`
}

/** One line for each run, with the first promise that was broken. */
function renderBroken(violations) {
  const first = new Map()
  for (const each of violations) {
    const run = `${each.seed}/${each.profile}`
    if (!first.has(run)) first.set(run, each)
  }
  return [...first.values()]
    .map(
      ({ seed, profile, rule, detail, commit, fate }) =>
        `- seed ${seed} on ${profile} at ${commit ?? 'this commit'}, \`${rule}\`: ${cell(detail)}${fate ? ` ${fate}` : ''}`,
    )
    .join('\n')
}
