// What every participant of a benchmark shares: its task, the message, and how it is measured.
export const task = JSON.parse(process.argv[2])
export const body = Buffer.alloc(task.bodyBytes ?? 1024, 'warren ')

/** Runs the work once and prints one line of JSON: time, CPU of this process alone, and peak memory. */
export async function measure(work) {
  await letBrokerBeSampled()
  const startedCpu = process.cpuUsage()
  const startedAt = process.hrtime.bigint()
  await work()
  const seconds = Number(process.hrtime.bigint() - startedAt) / 1e9
  const { user, system } = process.cpuUsage(startedCpu)
  await letBrokerBeSampled()
  const report = {
    messages: task.messages,
    seconds,
    messagesPerSecond: task.messages / seconds,
    cpuMicrosPerMessage: (user + system) / task.messages,
    peakMemoryMiB: process.resourceUsage().maxRSS / 1024,
  }
  process.stdout.write(`${JSON.stringify(report)}\n`)
}

/** Where the broker's CPU is wanted, whoever started us reads it right before the work and right after. */
async function letBrokerBeSampled() {
  if (!task.isBrokerSampled) return
  process.stdout.write('sample\n')
  await new Promise((resolve) => process.stdin.resume().once('data', resolve))
  process.stdin.pause() // else it would keep the process alive
}
