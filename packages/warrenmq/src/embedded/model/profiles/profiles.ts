import type { Profile, ProfileName } from '../profile.ts'
import { profile310 } from './profile-3-10.ts'
import { profile40 } from './profile-4-0.ts'
import { profile43 } from './profile-4-3.ts'

/** Every version that the embedded broker can be. To add one, add its file and its line. */
export const profiles: Readonly<Record<ProfileName, Profile>> = {
  '3.10': profile310,
  '4.0': profile40,
  '4.3': profile43,
}

/** The versions of RabbitMQ that `startEmbeddedBroker({ profile })` takes. */
export const profileNames: readonly ProfileName[] = Object.keys(profiles) as ProfileName[]
