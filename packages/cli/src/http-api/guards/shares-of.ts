import type { Caller } from '../auth/caller.ts'
import type { Asker } from './request-slots.ts'

export interface ShareLimits {
  /** Of all callers together. */
  readonly most: number
  readonly mostOfCaller: number
}

/** Of the places that there are, viewers have so many, and everybody but admins so many. */
const partOfViewers = 3 / 5
const partBelowAdmins = 4 / 5

/** The shares that a caller takes part in: their own, and those of their role, which leave room for the roles above. */
export function sharesOf(
  { name, wayIn, role }: Pick<Caller, 'name' | 'wayIn' | 'role'>,
  { most, mostOfCaller }: ShareLimits,
): readonly Asker[] {
  const part = (share: number): number => Math.max(1, Math.floor(most * share))
  const own = { name: `caller ${wayIn} ${name}`, most: mostOfCaller }
  const below = { name: 'viewers and operators', most: part(partBelowAdmins) }
  switch (role) {
    case 'viewer':
      return [own, { name: 'viewers', most: part(partOfViewers) }, below]
    case 'operator':
      return [own, below]
    case 'admin':
      return [own]
  }
}
