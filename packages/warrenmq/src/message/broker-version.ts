import { InvalidArgumentError } from '../errors.ts'

/** A version of RabbitMQ, comparable. `text` is what the broker or the user wrote. */
export interface BrokerVersion {
  readonly text: string
  readonly major: number
  readonly minor: number
  readonly patch: number
  /** `'beta.3'` for `4.1.0-beta.3`; undefined for a release. */
  readonly preRelease: string | undefined
}

/**
 * Reads `3.10.8`, `4.3.6`, `4.0.5+debian`, `4.1.0-beta.3`, `4.0.0+rc.1.12.gabc` and the short form `4.0`.
 * The short form stands for the first release of its line, so that what is proved for it holds on all.
 */
export function parseBrokerVersion(text: string): BrokerVersion {
  const match = /^v?(\d{1,4})\.(\d{1,4})(?:\.(\d{1,4}))?(?:[-+~.](.*))?$/.exec(text.trim())
  if (match === null) {
    throw new InvalidArgumentError(
      `'${text}' is not a RabbitMQ version; write for example '3.10', '4.0' or '4.3.6'.`,
    )
  }
  const [, major, minor, patch, suffix] = match
  return {
    text: text.trim(),
    major: Number(major),
    minor: Number(minor),
    patch: Number(patch ?? 0),
    preRelease: preReleaseOf(suffix ?? ''),
  }
}

/** Below zero when `left` is older, above when it is newer. Build suffixes such as `+debian` do not count. */
export function compareBrokerVersions(left: BrokerVersion, right: BrokerVersion): number {
  return compareReleases(left, right) || comparePreReleases(left.preRelease, right.preRelease)
}

/**
 * Whether a version is `release` or later. A pre-release counts as the release that it leads to: 4.0.0-beta.1
 * already behaves as 4.0.0, not as the newest 3.13.
 */
export function isAtLeast(version: BrokerVersion, release: string): boolean {
  return compareReleases(version, parseBrokerVersion(release)) >= 0
}

function compareReleases(left: BrokerVersion, right: BrokerVersion): number {
  return left.major - right.major || left.minor - right.minor || left.patch - right.patch
}

// Builds from a git checkout write the first hyphen of their tag as a plus: 4.0.0+beta.1.52.g1234567.
function preReleaseOf(suffix: string): string | undefined {
  return /^(alpha|beta|rc|milestone|pre)[.-]?\d*/.exec(suffix)?.[0]
}

function comparePreReleases(left: string | undefined, right: string | undefined): number {
  if (left === right) return 0
  if (left === undefined) return 1
  if (right === undefined) return -1
  const [leftStage, leftNumber] = splitPreRelease(left)
  const [rightStage, rightNumber] = splitPreRelease(right)
  return stages.indexOf(leftStage) - stages.indexOf(rightStage) || leftNumber - rightNumber
}

const stages = ['pre', 'milestone', 'alpha', 'beta', 'rc']

function splitPreRelease(preRelease: string): [stage: string, number: number] {
  const [stage = ''] = /^[a-z]+/.exec(preRelease) ?? []
  return [stage, Number(/\d+$/.exec(preRelease)?.[0] ?? 0)]
}
