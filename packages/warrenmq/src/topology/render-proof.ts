import { formatCounted } from '../message/format-counted.ts'
import { groupBy } from './group-by.ts'
import type { Hardening } from './list-hardening.ts'
import type { Finding } from './prove/finding.ts'
import type { ProvedProperty } from './prove/finding-names.ts'
import type { NodeLoss } from './prove/node-ends.ts'
import type { PlaceOfLoss, Proof, PropertyResult } from './prove/prove-topology.ts'

/**
 * A proof as text for people; with `hardening`, also what the hardened form would add.
 * @example
 * ```ts
 * console.log(renderProof(proof))
 * ```
 */
export function renderProof(
  proof: Proof,
  { hardening = [] }: { hardening?: readonly Hardening[] } = {},
): string {
  const width = Math.max(...Object.values(titles).map((title) => title.length))
  const sections = [
    proof.properties.map((result) => renderResult(result, width)),
    renderNodeEnds(proof),
    groupAlike(proof.findings).flatMap((alike, index) => [
      ...(index === 0 ? [] : ['']),
      ...renderAlike(alike),
    ]),
    proof.accepted.length === 0
      ? []
      : ['Accepted', ...proof.accepted.map(({ finding, reason }) => `  ${nameOf(finding)}: ${reason}`)],
    proof.unusedAcceptances.map(
      ({ finding, queue }) =>
        `Accepted but not found: ${finding}${queue === undefined ? '' : ` of ${queue}`}`,
    ),
    proof.assumptions.flatMap(({ text, queues }) => [`Assumed of ${nameSome(queues)}`, `  ${text}`]),
    proof.caveats.flatMap(({ text, queues }) => [
      `Out of Warren's hands on ${nameSome(queues)}`,
      `  ${text}`,
    ]),
    hardening.length === 0
      ? []
      : ['Hardening would add', ...hardening.map((one) => `  ${renderHardening(one)}`)],
  ]
  const shown = sections.filter((lines) => lines.length > 0).flatMap((lines) => ['', ...lines])
  return [headline(proof), ...shown, ''].join('\n')
}

const titles: { readonly [Property in ProvedProperty]: string } = {
  'no-black-hole': 'No black hole',
  'comes-home': 'Comes home',
  ends: 'Ends',
  'no-silent-loss': 'No silent loss',
  'dlq-keeps': 'The DLQ keeps',
  'second-failure': 'A second failure also ends in the DLQ',
  'right-for-version': 'Right for this version',
}

function headline({ brokerVersion, isProved, findings, accepted }: Proof): string {
  const on = `RabbitMQ ${brokerVersion}`
  if (!isProved) return `Not proved on ${on}: ${formatCounted(findings.length, 'finding')}.`
  return accepted.length === 0 ? `Proved on ${on}.` : `Proved on ${on}, with ${accepted.length} accepted.`
}

function renderResult({ property, holds, broken, accepted }: PropertyResult, width: number): string {
  const verdict = broken > 0 ? 'broken' : 'holds '
  const counts = [
    `${holds} hold`,
    ...(broken > 0 ? [`${broken} broken`] : []),
    ...(accepted > 0 ? [`${accepted} accepted`] : []),
  ]
  return `${verdict}  ${titles[property].padEnd(width)}  ${counts.join(', ')}`
}

/** Findings that differ in their path alone are said once, with all the paths. */
function groupAlike(findings: readonly Finding[]): readonly (readonly [Finding, ...Finding[]])[] {
  const groups = groupBy(findings, ({ property, code, problem, wayOut }) =>
    [property, code, problem, wayOut].join('\n'),
  )
  return [...groups.values()].flatMap(([first, ...others]) =>
    first === undefined ? [] : [[first, ...others] as const],
  )
}

function renderAlike(alike: readonly [Finding, ...Finding[]]): readonly string[] {
  const [{ property, code, problem, wayOut }] = alike
  const title = alike.length === 1 ? nameOf(alike[0]) : `${property}/${code}, ${alike.length} times`
  return [title, ...alike.map(({ path }) => `  ${path.join(' > ')}`), `  ${problem}`, `  ${wayOut}`]
}

/** What the end of a node costs, for each way in which it can end; said once where both cost the same. */
function renderNodeEnds({ losesAt: { stop, crash } }: Proof): readonly string[] {
  if (stop.length + crash.length === 0)
    return [
      'Neither a clean stop nor a crash (kill -9) of a node loses a message that is persistent and confirmed.',
    ]
  const [ofStop, ofCrash] = [renderLosses(stop), renderLosses(crash)]
  if (ofStop.join() === ofCrash.join())
    return ['Lost when a node goes down, in a clean stop and in a crash (kill -9) alike', ...ofStop]
  return ['Lost in a clean stop of a node', ...ofStop, 'Lost in a crash (kill -9) of a node', ...ofCrash]
}

function renderLosses(places: readonly PlaceOfLoss[]): readonly string[] {
  if (places.length === 0) return ['  nothing that is persistent and confirmed']
  return [...groupBy(places, ({ what }) => what)].map(
    ([what, alike]) => `  ${lossTexts[what]} ${nameSome([...new Set(alike.map(({ at }) => at))])}`,
  )
}

const lossTexts: { readonly [Loss in NodeLoss]: string } = {
  'on-the-way': 'messages leaving at that moment (not those waiting):',
  'due-meanwhile': 'messages leaving, and those that come due until the next queue has a leader again:',
  everything: 'everything:',
}

/** Many queues need the same assumption, and their names say little. */
function nameSome(queues: readonly string[]): string {
  const shown = queues.slice(0, 3).join(', ')
  return queues.length > 3 ? `${shown} and ${queues.length - 3} more` : shown
}

function nameOf({ property, code, queue }: Finding): string {
  return `${queue === undefined ? '' : `${queue}: `}${property}/${code}`
}

function renderHardening({ queue, setting, exact, hardened }: Hardening): string {
  const before = exact === undefined ? '' : ` instead of ${JSON.stringify(exact)}`
  return `${queue}: ${setting}=${JSON.stringify(hardened)}${before}`
}
