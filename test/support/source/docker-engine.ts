import { runCommand } from '../run-command.ts'
import type { DockerSource } from './broker-source.ts'

/** True when a Docker engine answers; a client without an engine is of no use. */
export async function dockerAnswers(): Promise<boolean> {
  try {
    await runCommand('docker', ['version', '--format', '{{.Server.Version}}'], { timeoutMs: 10_000 })
    return true
  } catch {
    return false
  }
}

/** The official image of a version, with the management plugin; the newest where none is wanted. */
export function dockerSource(wanted: string | undefined): DockerSource {
  const isNewest = wanted === undefined || wanted === 'latest'
  return { kind: 'docker', image: isNewest ? 'rabbitmq:management' : `rabbitmq:${wanted}-management` }
}
