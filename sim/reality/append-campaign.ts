import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'

interface Run {
  readonly participant: string
  readonly where: string
  readonly seeds: readonly [number, number]
}

/** Several runs add up in one document. A run may be told of again, with more rounds. */
export function appendCampaign(file: string, campaign: Run): void {
  const before = existsSync(file)
    ? (JSON.parse(readFileSync(file, 'utf8')) as { campaigns: readonly Run[] })
    : { campaigns: [] }
  const others = before.campaigns.filter((other) => !isSame(other, campaign))
  const text = JSON.stringify({ campaigns: [...others, campaign] }, undefined, 2)
  writeFileSync(`${file}.new`, `${text}\n`)
  renameSync(`${file}.new`, file)
}

function isSame(one: Run, other: Run): boolean {
  return one.participant === other.participant && one.where === other.where && one.seeds[0] === other.seeds[0]
}
