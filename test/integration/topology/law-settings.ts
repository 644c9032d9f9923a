import type { ProfileName } from '../../../packages/warrenmq/src/testing.ts'
import { sharedBroker } from '../../support/shared-broker.ts'
import { nearestProfile } from './nearest-profile.ts'

/** How many random topologies a law is tried on. */
export const lawRuns: number = Number(process.env.WARREN_PROOF_RUNS ?? 100)

/** The seed is known to pass; another one explores, and what it finds is a fault until shown otherwise. */
export const lawSeed: number = Number(process.env.WARREN_PROOF_SEED ?? 1)

/** The version of the run's broker, so that the versions share the work; the long variant names several. */
export const lawProfiles: readonly ProfileName[] = (process.env.WARREN_PROOF_PROFILES?.split(',') ?? [
  nearestProfile(sharedBroker().version),
]) as readonly ProfileName[]
