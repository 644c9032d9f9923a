import type { ProfileName } from '../../packages/warrenmq/src/embedded/model/profile.ts'
import { profiles } from '../../packages/warrenmq/src/embedded/model/profiles/profiles.ts'

/** The profile for a version such as `4.0.5`; undefined when there is none. */
export function profileOf(version: string): ProfileName | undefined {
  const [major, minor] = version.split('.')
  const name = `${major}.${minor}`
  return name in profiles ? (name as ProfileName) : undefined
}
