/** Where the brokers of a test run come from. */
export type BrokerSource = PackageSource | DockerSource | UrlSource

/** A Debian package: installed on this machine, or unpacked into a root of its own. */
export interface PackageSource {
  readonly kind: 'host' | 'root'
  /** As the package says it: "3.10.8". */
  readonly version: string
  /** The directory that the broker sees as "/". The empty string is the machine's own. */
  readonly root: string
}

export interface DockerSource {
  readonly kind: 'docker'
  readonly image: string
}

/** A broker that somebody else runs: it can be used, and it cannot be killed. */
export interface UrlSource {
  readonly kind: 'url'
  readonly amqpUrl: string
  readonly managementUrl: string
}

export type SourceKind = BrokerSource['kind']

/** True when "4.0.5" is a version that a person means by "4.0". */
export function isOfVersion(fullVersion: string, wanted: string): boolean {
  return fullVersion === wanted || fullVersion.startsWith(`${wanted}.`)
}
