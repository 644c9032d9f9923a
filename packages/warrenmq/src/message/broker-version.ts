import { InvalidArgumentError } from '../errors.ts'

/** A version of RabbitMQ, comparable. `text` is what the broker or the user wrote. */
export interface BrokerVersion {
  /** As the broker writes it. */
  readonly text: string
  /** The first number: 4 of 4.3.1. */
  readonly major: number
  /** The second number: 3 of 4.3.1. */
  readonly minor: number
  /** The third number: 1 of 4.3.1. */
  readonly patch: number
}

/**
 * Reads `3.10.8`, `4.3.6`, `4.0.5+debian`, `4.1.0-beta.3`, `4.0.0+rc.1.12.gabc` and the short form `4.0`.
 * The short form stands for the first release of its line, so that what is proved for it holds on all.
 * @example
 * ```ts
 * const { major } = parseBrokerVersion('4.0.5')
 * ```
 */
export function parseBrokerVersion(text: string): BrokerVersion {
  const match = /^v?(\d{1,4})\.(\d{1,4})(?:\.(\d{1,4}))?(?:[-+~.].*)?$/.exec(text.trim())
  if (match === null) {
    throw new InvalidArgumentError(
      `'${text}' is not a RabbitMQ version; write for example '3.10', '4.0' or '4.3.6'.`,
    )
  }
  const [, major, minor, patch] = match
  return {
    text: text.trim(),
    major: Number(major),
    minor: Number(minor),
    patch: Number(patch ?? 0),
  }
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
