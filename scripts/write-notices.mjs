import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Writes the licences of packages, given by their folders, into one file. One without a licence is refused. */
export function writeNotices({ packages, file }) {
  const sections = [...packages].map(noticeOf).toSorted()
  const rule = `\n${'-'.repeat(80)}\n\n`
  writeFileSync(file, `The console has parts of these packages.\n${rule}${sections.join(rule)}`)
}

function noticeOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const text = readdirSync(folder).find((entry) => /^licen[cs]e(\.|$)/i.test(entry))
  if (!text && !license) throw new Error(`${name} is in the console and has no licence.`)
  const words = text ? readFileSync(join(folder, text), 'utf8').trim() : ''
  return `${name} ${version} (${license})\n\n${words}\n`
}
