import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Socket } from 'node:net'

/**
 * Ends what a test process started, whatever becomes of the test process. It is a shell that reads its
 * standard input: when the pipe closes, because we closed it or because we were killed, it cleans up.
 */
export interface Watchdog {
  /** From now on this process group dies with us. */
  guard(processGroup: number): void
  /** The group has ended by itself; its number may soon be somebody else's. */
  forget(processGroup: number): void
  /** Cleans up now. Settles when everything is gone. */
  release(): Promise<void>
}

// Lines of input: "+123" guards a group, "-123" forgets it.
const cleanUpProcesses = `
groups=' '
while read -r line; do
  number=\${line#[+-]}
  case "$line" in
    +*) groups="$groups$number " ;;
    -*) groups=$(printf '%s' "$groups" | sed "s/ $number / /") ;;
  esac
done
for group in $groups; do kill -s KILL -- "-$group" 2>/dev/null; done
for try in 1 2 3 4 5; do rm -rf -- "$1" 2>/dev/null && break; sleep 0.2; done
`

const cleanUpContainer = `
cat >/dev/null
docker rm --force --volumes "$2" >/dev/null 2>&1
rm -rf -- "$1"
`

/** Guards process groups and the directory that they write to. */
export function watchProcesses(directory: string): Watchdog {
  return startWatchdog(cleanUpProcesses, [directory])
}

/** Guards a container and the directory that is mounted in it. */
export function watchContainer(directory: string, container: string): Watchdog {
  return startWatchdog(cleanUpContainer, [directory, container])
}

function startWatchdog(script: string, args: readonly string[]): Watchdog {
  // Detached, so that a Ctrl-C in the terminal does not reach the one who has to clean up after it.
  const shell = spawn('sh', ['-c', script, 'watchdog', ...args], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    cwd: '/',
  })
  // A watchdog must not keep its master alive: the pipe closes when the master has nothing left to do.
  shell.unref()
  const input = shell.stdin as Socket
  input.unref()
  input.on('error', () => {})
  const say = (line: string) => void input.write(`${line}\n`)
  return {
    guard: (group) => say(`+${group}`),
    forget: (group) => say(`-${group}`),
    release: () => endOf(shell),
  }
}

async function endOf(shell: ChildProcess): Promise<void> {
  if (shell.exitCode !== null || shell.signalCode !== null) return
  shell.ref()
  const ended = once(shell, 'exit')
  shell.stdin?.end()
  await ended
}
