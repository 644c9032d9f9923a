import { spawnSync } from 'node:child_process'

/** The commit of the code, for documents about what it did; with a plus where files differ from it. */
export function readCommit() {
  const git = (...args) =>
    spawnSync('git', args, { cwd: import.meta.dirname, encoding: 'utf8' }).stdout.trim()
  const commit = git('rev-parse', '--short=10', 'HEAD')
  const isChanged = git('status', '--porcelain', '--', '.', '../packages') !== ''
  return `${commit || 'unknown'}${isChanged ? '+' : ''}`
}
