import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'

/** Several runs add up in one document. */
export function appendCampaign(file: string, campaign: object): void {
  const before = existsSync(file)
    ? (JSON.parse(readFileSync(file, 'utf8')) as { campaigns: readonly object[] })
    : { campaigns: [] }
  const text = JSON.stringify({ campaigns: [...before.campaigns, campaign] }, undefined, 2)
  writeFileSync(`${file}.new`, `${text}\n`)
  renameSync(`${file}.new`, file)
}
