import { createFifo, type Fifo } from '../../../fifo.ts'

/** Those who wait for their turn: the highest priority first, and within one priority one after the other. */
export interface ConsumerRing<Member> extends Iterable<Member> {
  /** Puts a member behind all others of its priority. One that is in already keeps its place. */
  add(member: Member): void
  /** Takes out whose turn it is. */
  take(): Member | undefined
  peek(): Member | undefined
  remove(member: Member): void
}

export function createConsumerRing<Member extends { readonly priority: number }>(): ConsumerRing<Member> {
  const bands = new Map<number, Fifo<Member>>()
  /** With the priority each came in with: it keeps its place when it changes. */
  const members = new Map<Member, number>()
  let priorities: readonly number[] = []

  function bandOf(priority: number): Fifo<Member> {
    const known = bands.get(priority)
    if (known) return known
    const band = createFifo<Member>()
    bands.set(priority, band)
    priorities = [...bands.keys()].sort((a, b) => b - a)
    return band
  }

  function firstBand(): Fifo<Member> | undefined {
    for (const priority of priorities) {
      const band = bands.get(priority)!
      if (band.size() > 0) return band
    }
    return undefined
  }

  return {
    add: (member) => {
      if (members.has(member)) return
      members.set(member, member.priority)
      bandOf(member.priority).push(member)
    },
    take: () => {
      const member = firstBand()?.shift()
      if (member) members.delete(member)
      return member
    },
    peek: () => firstBand()?.peek(),
    remove: (member) => {
      const priority = members.get(member)
      if (priority === undefined) return
      members.delete(member)
      bands.get(priority)?.keep((other) => other !== member)
    },
    *[Symbol.iterator]() {
      for (const priority of priorities) yield* bands.get(priority)!
    },
  }
}
