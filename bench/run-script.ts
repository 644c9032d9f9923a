import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

/** What a participant tells of itself. */
export interface Report {
  readonly seconds: number
  readonly messagesPerSecond: number
  readonly cpuMicrosPerMessage: number
  readonly peakMemoryMiB: number
  /** The longest of nearly all frames while a list is scrolled. */
  readonly frameSeconds?: number
  /** What the broker's process used meanwhile; only where it is asked for. */
  readonly brokerCpuMicrosPerMessage?: number
}

export interface ScriptRun {
  readonly script: string
  readonly task: { readonly messages: number }
  /** Reads the CPU that the broker has used so far, in microseconds. Undefined: it is not asked for. */
  readonly sampleBroker: (() => Promise<number>) | undefined
}

/** More time than the slowest takes: a participant may wait for ever for what its lost connection would have brought. */
const startMs = 240_000
const slowestMs = 1

/** A process of its own, so that its CPU and memory are its own. One that does not end in time is ended. */
export async function runScript({ script, task, sampleBroker }: ScriptRun): Promise<Report> {
  const file = new URL(`participants/${script}.mjs`, import.meta.url).pathname
  const given = JSON.stringify({ ...task, isBrokerSampled: sampleBroker !== undefined })
  const child = spawn(process.execPath, [file, given], { stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = once(child, 'close')
  const timer = setTimeout(() => child.kill('SIGKILL'), startMs + task.messages * slowestMs)
  const samples: number[] = []
  let report: Report | undefined
  for await (const line of createInterface(child.stdout)) {
    if (line !== 'sample') report = JSON.parse(line) as Report
    else if (sampleBroker) {
      samples.push(await sampleBroker())
      child.stdin.write('go on\n')
    }
  }
  const [code] = (await ended) as [number | null]
  clearTimeout(timer)
  if (code !== 0 || !report)
    throw new Error(`The participant ${script} ended with ${code} and without a report.`)
  const [before, after] = samples
  if (before === undefined || after === undefined) return report
  return { ...report, brokerCpuMicrosPerMessage: (after - before) / task.messages }
}
