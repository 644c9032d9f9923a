import { readFileSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { parse } from 'yaml'
import {
  connect,
  createConsumerMetrics,
  defineTopology,
  reject,
} from '../../../packages/warrenmq/src/index.ts'
import { eventually } from '../../support/eventually.ts'
import { runCommand } from '../../support/run-command.ts'
import { findProgram } from '../../support/services/find-program.ts'
import { ServiceUnavailableError } from '../../support/services/service-unavailable-error.ts'
import { setUpApi } from './api-rig.ts'
import { useApiBroker } from './use-api-broker.ts'

const broker = await useApiBroker()
const promtool = await findPromtool()

/** Of Debian's prometheus. Where it cannot be had the reason is printed; with CI that is a failure. */
async function findPromtool(): Promise<string | undefined> {
  try {
    return await findProgram({ name: 'promtool', debianPackage: 'prometheus' })
  } catch (error) {
    if (!(error instanceof ServiceUnavailableError) || process.env.CI) throw error
    process.stderr.write(`Skipped: ${error.message}\n`)
    return undefined
  }
}

interface Rule {
  readonly alert: string
  readonly expr: string
  readonly labels: { readonly severity: string }
  readonly annotations: Readonly<Record<'summary' | 'description' | 'runbook_url', string>>
}

interface Panel {
  readonly id: number
  readonly type: string
  readonly title: string
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
  readonly targets?: readonly { readonly expr: string }[]
}

const alertsFile = 'deploy/prometheus/warren-alerts.yaml'
const testsFile = 'deploy/prometheus/warren-alerts.test.yaml'
const { groups } = parse(readFileSync(alertsFile, 'utf8')) as { groups: { rules: readonly Rule[] }[] }
const rules = groups.flatMap((group) => group.rules)
const dashboard = JSON.parse(readFileSync('deploy/grafana/warren.json', 'utf8')) as {
  readonly panels: readonly Panel[]
  readonly templating: { readonly list: readonly { readonly definition?: string }[] }
}
const queries = [
  ...dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
  ...dashboard.templating.list.flatMap(({ definition }) => definition ?? []),
]

/** The metrics of the reference, each with its labels. */
const documented = new Map(
  [
    ...readFileSync('docs/reference/metrics.md', 'utf8').matchAll(
      /^\| `(warren_\w+)` +\| \w+ +\| ([^|]*)\|/gm,
    ),
  ].map(([, name, labels]) => [name!, [...labels!.matchAll(/`(\w+)`/g)].map(([, label]) => label!)] as const),
)

/** The metrics that a text for Prometheus has, each with the labels of its samples. */
function exposed(text: string): Map<string, readonly string[]> {
  return new Map(
    [...text.matchAll(/^# TYPE (\w+) /gm)].map(([, name]) => {
      const labels = new RegExp(`^${name}(?:_bucket)?\\{([^}]*)\\}`, 'm').exec(text)?.[1] ?? ''
      return [name!, [...labels.matchAll(/(\w+)="/g)].map(([, label]) => label!)]
    }),
  )
}

function metricsIn(query: string): readonly string[] {
  return [...query.matchAll(/\bwarren_\w+/g)].map(([name]) => name.replace(/_(bucket|sum|count)$/, ''))
}

function labelsIn(query: string): readonly string[] {
  const selected = [...query.matchAll(/\{([^}]*)\}/g)].flatMap(([, list]) => [
    ...list!.matchAll(/(\w+)=~?"/g),
  ])
  const grouped = [...query.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list]) => [...list!.matchAll(/(\w+)/g)])
  return [...selected, ...grouped].map(([, label]) => label!).filter((label) => label !== 'le')
}

describe('what is documented of metrics', () => {
  it('is what consumers and the server expose, with their labels', async () => {
    const topology = defineTopology({ queues: { measured: { retry: false } } })
    const warren = await connect(broker.url, { topology })
    onTestFinished(() => warren.close())
    await warren.apply()
    const metrics = createConsumerMetrics()
    metrics.observe(await warren.consume('measured', () => reject('for the metrics')))
    await warren.publisher().publish({ key: 'measured', body: 1 })
    const rig = await setUpApi(broker)
    await rig.app.inject('/healthz')
    await eventually(() => expect(metrics.render()).toContain('warren_deliveries_settled_total{'))
    const { body } = await rig.app.inject({ url: '/metrics', headers: broker.headers })

    const all = new Map([...exposed(metrics.render()), ...exposed(body)])
    expect([...all.keys()].toSorted()).toEqual([...documented.keys()].toSorted())
    for (const [name, labels] of all)
      if (labels.length > 0)
        expect([name, labels.filter((each) => each !== 'le')]).toEqual([name, documented.get(name)])
  })
})

describe('the dashboard', () => {
  it('asks for every metric that there is, and for no other', () => {
    expect([...new Set(queries.flatMap(metricsIn))].toSorted()).toEqual([...documented.keys()].toSorted())
  })

  it.each([...queries, ...rules.map(({ expr }) => expr)])('knows the labels of %s', (query) => {
    const known = metricsIn(query).flatMap((name) => documented.get(name) ?? [])
    expect(labelsIn(query).filter((label) => !known.includes(label))).toEqual([])
  })

  it('has panels that lie beside each other, each with a number and a title of its own', () => {
    const { panels } = dashboard
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
    expect(new Set(panels.map(({ title }) => title)).size).toBe(panels.length)
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, at) => `${x + (at % w)},${y + Math.floor(at / w)}`),
    )
    expect(new Set(cells).size).toBe(cells.length)
  })
})

describe('the alerts', () => {
  it('ask for metrics that there are', () => {
    const asked = rules.flatMap(({ expr }) => metricsIn(expr))
    expect(asked.filter((name) => !documented.has(name))).toEqual([])
  })

  it('have a section of the runbook each, and the runbook has no other', () => {
    const page = readFileSync('docs/guides/runbooks/alerts.md', 'utf8')
    const sections = [...page.matchAll(/^## (Warren\w+)$/gm)].map(([, title]) => title)
    expect(sections.toSorted()).toEqual(rules.map(({ alert }) => alert).toSorted())
    for (const { alert, annotations } of rules)
      expect(annotations.runbook_url).toMatch(
        new RegExp(`/docs/guides/runbooks/alerts\\.md#${alert.toLowerCase()}$`),
      )
  })

  it('are each tried, once when they fire and once when all is well', () => {
    const { tests } = parse(readFileSync(testsFile, 'utf8')) as {
      tests: { alert_rule_test: { alertname: string; exp_alerts: unknown[] }[] }[]
    }
    const tried = tests.flatMap((test) => test.alert_rule_test)
    for (const { alert } of rules) {
      const counts = tried
        .filter(({ alertname }) => alertname === alert)
        .map(({ exp_alerts }) => exp_alerts.length)
      expect(new Set(counts), alert).toEqual(new Set([0, 1]))
    }
  })

  it.skipIf(!promtool)('are rules to Prometheus, and fire as they should', async () => {
    expect(await runCommand(promtool!, ['check', 'rules', alertsFile])).toContain(
      `${rules.length} rules found`,
    )
    expect(await runCommand(promtool!, ['test', 'rules', testsFile])).toContain('SUCCESS')
  })
})
