import type { ProfileName } from '../../../packages/warrenmq/src/testing.ts'

/** The embedded broker's profile that comes closest to a version. */
export function nearestProfile(version: string): ProfileName {
  if (version.startsWith('3.')) return '3.10'
  return /^4\.[012]\b/.test(version) ? '4.0' : '4.3'
}
