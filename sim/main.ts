import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import type { ProfileName } from '../packages/warrenmq/src/embedded/model/profile.ts'
import { parseArguments, type SimArguments } from './parse-arguments.ts'
import { summarize } from './proof/summarize.ts'
import { type RunReport, runOne } from './run-one.ts'
import { renderRun, renderSummary } from './story/render-run.ts'

interface Job {
  readonly seed: number
  readonly profile: ProfileName
}

if (isMainThread) await runAll(parseArguments(process.argv.slice(2)))
else {
  const args = workerData as SimArguments
  parentPort!.on('message', (job: Job) => {
    void runOne(job, args).then((report) => parentPort!.postMessage(report))
  })
}

/** Deals the seeds out to the workers, and tells what they report in the order of the seeds. */
async function runAll(args: SimArguments): Promise<void> {
  const startedAt = performance.now()
  const endAt = args.minutes === undefined ? Number.POSITIVE_INFINITY : startedAt + args.minutes * 60_000
  const jobs = planJobs(args)
  const reports: RunReport[] = []
  let isEnough = false
  const work = async (): Promise<void> => {
    const run = jobs.length === 1 || args.workers < 2 ? undefined : startWorker(args)
    for (let job = jobs.shift(); job && !isEnough && performance.now() < endAt; job = jobs.shift()) {
      const report = await (run ? run.run(job) : runOne(job, args))
      reports.push(report)
      if (args.isFirst && report.violations.length > 0) isEnough = true
      if (!args.isJson && !args.isSummary && (report.violations.length > 0 || args.isStory))
        console.log(renderRun(report))
    }
    await run?.end()
  }
  await Promise.all(Array.from({ length: Math.max(1, args.workers) }, work))
  const tookMs = performance.now() - startedAt
  reports.sort((one, other) => one.seed - other.seed)
  if (args.isJson) console.log(JSON.stringify({ tookMs: Math.round(tookMs), runs: reports }))
  else if (args.isSummary) console.log(JSON.stringify(summarize(reports, { args, tookMs }), undefined, 2))
  else console.log(renderSummary(reports, { tookMs, times: args.isTwice ? 2 : 1 }))
  process.exitCode = reports.some(({ violations }) => violations.length > 0) ? 1 : 0
}

function planJobs({ from, to, profiles, isRotating }: SimArguments): Job[] {
  const seeds = Array.from({ length: to - from + 1 }, (_, at) => from + at)
  return seeds.flatMap((seed) =>
    profiles
      .filter((_, at) => !isRotating || at === seed % profiles.length)
      .map((profile) => ({ seed, profile })),
  )
}

function startWorker(args: SimArguments) {
  const worker = new Worker(new URL(import.meta.url), { workerData: args })
  return {
    run: (job: Job) =>
      new Promise<RunReport>((resolve, reject) => {
        worker.removeAllListeners().once('message', resolve).once('error', reject)
        worker.postMessage(job)
      }),
    end: () => worker.terminate(),
  }
}
