import { parseArgs } from 'node:util'
import type { ProfileName } from '../packages/warrenmq/src/embedded/model/profile.ts'
import { type FaultKind, faultKinds } from './nemesis/faults.ts'

export interface SimArguments {
  readonly from: number
  readonly to: number
  /** Ends after so many, if given. */
  readonly minutes: number | undefined
  readonly profiles: readonly ProfileName[]
  readonly kinds: readonly FaultKind[]
  readonly only: readonly number[] | undefined
  readonly isStory: boolean
  readonly isJson: boolean
  /** One document about all runs, which docs/proof.md is made from. */
  readonly isSummary: boolean
  /** Each seed runs a second time, and its hash is compared. */
  readonly isTwice: boolean
  /** Each seed runs on one version, the next one on the next. */
  readonly isRotating: boolean
  readonly workers: number
  /** Stops at the first violation. */
  readonly isFirst: boolean
  /** A failure is made small. */
  readonly isShrunk: boolean
  /** Errors have their stacks. */
  readonly hasStacks: boolean
}

const allProfiles: readonly ProfileName[] = ['3.10', '4.0', '4.3']

export function parseArguments(args: readonly string[]): SimArguments {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seed: { type: 'string' },
      seeds: { type: 'string', default: '1-20' },
      profile: { type: 'string' },
      faults: { type: 'string' },
      only: { type: 'string' },
      minutes: { type: 'string' },
      workers: { type: 'string', default: '2' },
      story: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      summary: { type: 'boolean', default: false },
      rotate: { type: 'boolean', default: false },
      once: { type: 'boolean', default: false },
      first: { type: 'boolean', default: false },
      stacks: { type: 'boolean', default: false },
      'no-shrink': { type: 'boolean', default: false },
    },
  })
  const [from = Number.NaN, to = from] = (values.seed ?? values.seeds).split('-').map(Number)
  if (!Number.isInteger(from) || !Number.isInteger(to))
    throw new Error('--seeds takes two whole numbers: --seeds 1-500')
  return {
    from,
    to,
    minutes: values.minutes === undefined ? undefined : Number(values.minutes),
    profiles: values.profile === undefined ? allProfiles : readProfiles(values.profile),
    kinds: values.faults === undefined ? faultKinds : readKinds(values.faults),
    only: values.only?.split(',').filter(Boolean).map(Number),
    isStory: values.story,
    isJson: values.json,
    isSummary: values.summary,
    isTwice: !values.once,
    isRotating: values.rotate,
    workers: Number(values.workers),
    isFirst: values.first,
    isShrunk: !values['no-shrink'],
    hasStacks: values.stacks,
  }
}

function readProfiles(text: string): readonly ProfileName[] {
  return text.split(',').map((name) => {
    const found = allProfiles.find((each) => each === name)
    if (!found) throw new Error(`--profile takes ${allProfiles.join(', ')}, not ${name}`)
    return found
  })
}

function readKinds(text: string): readonly FaultKind[] {
  if (text === 'none') return []
  return text.split(',').map((name) => {
    const found = faultKinds.find((each) => each === name)
    if (!found) throw new Error(`--faults takes none or some of ${faultKinds.join(', ')}, not ${name}`)
    return found
  })
}
