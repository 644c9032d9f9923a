import { describe, expect, it } from 'vitest'
import { orders, setupCli } from './cli-rig.ts'
import { useVhost } from './use-vhost.ts'

describe('a config that cannot be used is told with its file, its path and a way out', () => {
  it.each([
    [
      'a name of more than 255 bytes',
      { queues: { ['q'.repeat(256)]: { deadLetter: false } } },
      'has 256 bytes',
    ],
    ['a reserved name', { queues: { 'amq.mine': {} } }, "one mistake:\n  queues['amq.mine']: queue"],
    [
      'an argument of the wrong type',
      { queues: { orders: { arguments: { 'x-max-length': 'ten' } } } },
      "queues.orders.arguments['x-max-length']: must be a whole number",
    ],
    ['a slip in a name', { layout: 'ratatosk', queues: {} }, 'did you mean "ratatoskr"?'],
    [
      'slips in the section of the server, all of them',
      { queues: {}, server: { porrt: 1, history: { evry: '1s' } } },
      'The server section has 2 mistakes:\n  server.porrt is unknown',
    ],
    [
      'slips in the sections for recovery and the server, all of them',
      { queues: {}, recovery: { queus: [], tyypes: {} }, server: { porrt: 1 } },
      'recovery has no "queus"; did you mean "queues"? recovery has no "tyypes"; did you mean "types"?\nserver.porrt is unknown',
    ],
    ['a time of the server that is none', { queues: {}, server: { history: { every: 'soon' } } }, "'soon'"],
    [
      'half of what browsers need to log in',
      {
        queues: {},
        server: { auth: { oidc: { issuer: 'https://id', audience: 'a', roles: {}, clientId: 'x' } } },
      },
      'server.auth.oidc.clientId is for browsers that log in at the provider, which also needs publicUrl.',
    ],
    [
      'a section for recovery that names no type',
      { queues: {}, recovery: { queues: ['a'] } },
      'recovery.types',
    ],
    ['text that is not YAML', 'queues: {', 'line 1'],
  ])('%s', async (_, config, words) => {
    const { warren } = setupCli(config)

    const { exitCode, stdout, stderr } = await warren('check')

    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' })
    expect(stderr).toContain('warren: warren.config.yaml ')
    expect(stderr).toContain(words)
  })

  it('files with secrets of the server need not be where it is checked', async () => {
    const oidc = {
      issuer: 'https://id.example',
      audience: 'warren',
      roles: {},
      clientId: 'warren',
      publicUrl: 'https://warren.example',
      clientSecretFile: '/run/secrets/elsewhere',
    }
    const server = { auth: { oidc, accounts: false }, keyFile: '/run/secrets/elsewhere' }
    const { warren } = setupCli({ queues: {}, server })

    const { exitCode, stderr } = await warren('check')

    expect(exitCode, stderr).toBe(0)
  })

  it('what several queues share is written once and merged, as YAML does it', async () => {
    const { warren } = setupCli(
      [
        'queues:',
        '  orders: &standard { type: classic, retry: { delays: [5s] } }',
        '  invoices: { <<: *standard, type: quorum }',
      ].join('\n'),
    )

    const { stdout } = await warren('export --broker-version 4.0')

    const { queues } = JSON.parse(stdout) as {
      queues: { name: string; arguments: Record<string, unknown> }[]
    }
    const typeOf = (name: string) => queues.find((queue) => queue.name === name)?.arguments['x-queue-type']
    expect([typeOf('orders.retry.5s'), typeOf('invoices.retry.5s')]).toEqual(['classic', 'quorum'])
  })

  it('a file that is missing suggests warren init', async () => {
    const { warren } = setupCli()

    expect((await warren('check')).stderr).toMatch(
      /^warren: There is no warren\.config\.ts .*`warren init`.*\n$/,
    )
    expect((await warren('check --config other.ts')).stderr).toContain('warren init --config other.ts')
  })

  it.each([
    ['export const topology = {}', 'has no default export'],
    ['export default defineTopology({', 'cannot be read: ParseError'],
    ["throw new Error('no luck')", 'cannot be read: no luck'],
    [
      "import { defineTopology } from 'warrenmq'\nexport default defineTopology({ queues: { a: { retry: { delays: ['5'] } } } })",
      'warren.config.ts has one mistake:\n  queues.a.retry.delays[0]: must be a duration',
    ],
  ])('a module that says %j', async (code, words) => {
    const { warren, write } = setupCli()
    write('warren.config.ts', code)

    const { exitCode, stderr } = await warren('check')

    expect(exitCode).toBe(1)
    expect(stderr).toContain(words)
    expect(stderr).not.toContain('    at ')
  })
})

describe('warren check', () => {
  it.each(['warren', 'ratatoskr', 'event-bus', 'freeflow', 'isolated'])(
    'proves the starter of layout %s on every version',
    async (layout) => {
      const { warren } = setupCli()
      await warren(`init --layout ${layout} --config starter.yaml`)

      const versions = '--broker-version 3.10 --broker-version 4.0.5 --broker-version 4.3.6'
      const { exitCode, stdout } = await warren(`check --config starter.yaml ${versions} --json`)

      expect(exitCode).toBe(0)
      expect(JSON.parse(stdout)).toMatchObject({ isProved: true, proofs: { length: 3 } })
    },
  )

  it('fails with the path of a lost message where a property is broken, and says what would mend it', async () => {
    const { warren } = setupCli({ layout: 'isolated', exact: true, queues: { 'q.audit': {} } })

    const { exitCode, stdout } = await warren('check --broker-version 4.0')

    expect(exitCode).toBe(1)
    expect(stdout).toContain('q.audit.retry > expired > default exchange, key q.audit > q.audit')
    expect(stdout).toContain('Hardening would add\n  q.audit: type="quorum" instead of "classic"')
    expect(stdout).not.toContain('\u001b[')
  })

  it('takes what was accepted, and repeats the reason', async () => {
    const accept = [{ finding: 'no-silent-loss', reason: 'one node, and we restart it by hand' }]
    const { warren } = setupCli({ layout: 'isolated', exact: true, accept, queues: { 'q.audit': {} } })

    const { exitCode, stdout } = await warren('check --broker-version 3.10')

    expect(exitCode).toBe(0)
    expect(stdout).toContain('no-silent-loss/at-most-once-hop: one node, and we restart it by hand')
  })
})

describe('warren diagram', () => {
  it('draws mermaid, dot and svg, by the name of the file or as told', async () => {
    const { warren, read } = setupCli(orders)

    const mermaid = await warren('diagram')
    const dot = await warren('diagram --format dot')
    await warren('diagram --output topology.svg')

    expect(mermaid.stdout).toMatch(/^flowchart LR\n/)
    expect(dot.stdout).toMatch(/^digraph topology {\n/)
    expect(read('topology.svg')).toContain('<svg')
    expect(read('topology.svg')).toContain('orders.retry.1m')
  })

  it.each([
    'diagram --output topology.png',
    'diagram --output topology.PDF',
    'diagram --output topology.txt',
    'diagram --format svg --output topology.png',
    'diagram --format svg --output topology.dot',
  ])('%s is refused with the formats there are, and nothing is written', async (command) => {
    const { warren, has } = setupCli(orders)

    const { exitCode, stdout, stderr } = await warren(command)

    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
    expect(stderr).toMatch(/does not write \.\w+\. Name the file \.svg, \.dot or \.gv, or \.mmd/)
    expect(has(command.split(' ').at(-1) ?? '')).toBe(false)
  })

  it.each([
    ['topology.MMD', '', /^flowchart LR\n/],
    ['topology.gv', '', /^digraph topology {\n/],
    ['notes.txt', '--format mermaid ', /^flowchart LR\n/],
    ['topology', '', /^flowchart LR\n/],
  ])('what goes into %s is what its name and --format say', async (file, format, begins) => {
    const { warren, read } = setupCli(orders)

    const { exitCode, stderr } = await warren(`diagram ${format}--output ${file}`)

    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    expect(read(file)).toMatch(begins)
  })

  it('marks what the proof found in red', async () => {
    const { warren } = setupCli({ layout: 'isolated', exact: true, queues: { 'q.audit': {} } })

    const { stdout } = await warren('diagram --broker-version 4.0 --json')

    const { problems, diagram } = JSON.parse(stdout) as { problems: string[]; diagram: string }
    expect(problems).toContain('q.audit.retry')
    expect(diagram).toContain('("q.audit.retry<br/><small>classic, 15s</small>")]:::problem')
  })
})

describe('warren export', () => {
  it('writes a definitions.json that the broker imports, after which a plan is empty', async () => {
    const broker = await useVhost()
    const { warren } = setupCli(orders, broker)

    const { stdout } = await warren(`export --broker-version ${broker.version} --vhost ${broker.vhost}`)
    await broker.management('POST', `/api/definitions`, JSON.parse(stdout))

    expect((await warren('plan --detailed-exitcode')).exitCode).toBe(0)
  })
})

describe('warren init', () => {
  it('refuses to overwrite a file unless told to', async () => {
    const { warren, read, write } = setupCli()
    write('warren.config.ts', 'mine')

    const refused = await warren('init')
    const before = read('warren.config.ts')
    const agreed = await warren('init --yes')

    expect(refused).toMatchObject({ exitCode: 1, stdout: '' })
    expect(refused.stderr).toContain('warren.config.ts already exists')
    expect(before).toBe('mine')
    expect(agreed.exitCode).toBe(0)
    expect(read('warren.config.ts')).toContain('defineTopology')
  })

  it.each([
    ['warren', 'back.config.ts'],
    ['ratatoskr', 'back.mjs'],
    ['event-bus', 'back.json'],
    ['freeflow', 'back.yaml'],
    ['isolated', 'back.yml'],
  ])('reads layout %s back from a broker into %s, and a plan from it is empty', async (layout, file) => {
    const { warren } = setupCli(undefined, await useVhost())
    await warren(`init --layout ${layout} --config first.config.ts`)
    await warren('apply --config first.config.ts')

    const written = await warren(`init --from-broker --config ${file} --json`)
    const planned = await warren(`plan --config ${file} --detailed-exitcode`)

    const { queues, plainQueues } = JSON.parse(written.stdout) as {
      queues: { layout: string }[]
      plainQueues: string[]
    }
    expect(new Set(queues.map((queue) => queue.layout))).toEqual(new Set([layout]))
    expect(plainQueues).toEqual([])
    expect([written.exitCode, planned.exitCode]).toEqual([0, 0])
  })

  it('tells what waits and what is dead in a topology of another hand, and check counts with its policies', async () => {
    const { warren, write } = setupCli()
    const to = (exchange: string, key: string) => ({
      'x-dead-letter-exchange': exchange,
      'x-dead-letter-routing-key': key,
    })
    const queue = (name: string, args: object = {}) => ({
      name,
      arguments: { 'x-queue-type': 'quorum', ...args },
    })
    const policy = (name: string, definition: object) => ({ name, pattern: 'lost$', definition })
    const definitions = {
      rabbitmq_version: '4.0.5',
      exchanges: [],
      queues: [
        queue('inbox', to('', 'inbox.later')),
        queue('inbox.later', { 'x-message-ttl': 5_000, ...to('', 'inbox') }),
        queue('inbox.lost.dead'),
      ],
      policies: [policy('tidy', { 'message-ttl': 86_400_000 })],
    }
    write('definitions.json', { ...definitions, queues: [...definitions.queues, queue('inbox.dead')] })
    write('other.json', {
      ...definitions,
      policies: [{ ...policy('short', { 'message-ttl': 60_000 }), pattern: 'dead$' }],
    })

    const made = await warren('init --from-definitions definitions.json --config warren.config.yaml')
    const checked = await warren('check --broker-version 4.0.5 --json')
    const withOther = await warren('check --from-definitions other.json --json')

    expect(made.exitCode, made.stderr).toBe(0)
    expect(made.stdout).toContain(
      'inbox: follows no layout, declared as it is; waits in inbox.later; dead letters in',
    )
    expect(made.stdout).toContain('inbox.later: wait queue of inbox, follows no layout')
    expect(made.stdout).toContain('inbox.dead: dead-letter queue of inbox, follows no layout')
    const found = (text: string) =>
      (JSON.parse(text) as { proofs: { findings: { queue: string; code: string }[] }[] }).proofs[0]?.findings
        .filter(({ code }) => code === 'ttl')
        .map((finding) => finding.queue)
    expect(found(checked.stdout)).toEqual([])
    expect(found(withOther.stdout)).toEqual(['inbox.lost.dead', 'inbox.dead'])
  })

  it('reads a definitions.json, and declares what follows no layout as it is', async () => {
    const { warren, write, read } = setupCli()
    write('definitions.json', {
      rabbitmq_version: '4.0.5',
      exchanges: [{ name: 'in', vhost: '/', type: 'fanout', durable: true, arguments: {} }],
      queues: [
        { name: 'plain', vhost: '/', durable: true, arguments: { 'x-max-length': 10 } },
        { name: 'amq.gen-1', vhost: '/', durable: true, arguments: {} },
      ],
      bindings: [
        { source: 'in', vhost: '/', destination: 'plain', destination_type: 'queue', routing_key: '' },
      ],
    })

    const { exitCode, stdout } = await warren('init --from-definitions definitions.json')

    expect(exitCode).toBe(3)
    expect(stdout).toContain('plain: follows no layout, declared as it is')
    expect(stdout).toContain('amq.gen-1: left out')
    expect(read('warren.config.ts')).toContain("arguments: { 'x-max-length': 10 }")
    expect((await warren('export')).exitCode).toBe(0)
  })

  it.each([
    ['init --from-definitions missing.json', 'missing.json cannot be read'],
    ['init --config warren.toml', 'warren.toml has no extension'],
  ])('%s fails with a sentence', async (command, words) => {
    const { warren } = setupCli()

    const { exitCode, stderr } = await warren(command)

    expect(exitCode).toBe(1)
    expect(stderr).toContain(words)
  })
})
