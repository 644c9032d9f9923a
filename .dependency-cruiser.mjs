// The direction of imports, from one ordered list: a folder sees the rows above its own and the leaves.
// Folders on one row do not know each other. To add a folder, put it in its row.
const leaves = ['errors.ts', 'events.ts', 'clock.ts', 'join-signals.ts']
const rows = [
  ['wire'],
  ['message'],
  ['topology'],
  ['broker'],
  ['publisher', 'deploy'],
  ['consumer', 'recovery'],
  ['http-api'],
  ['cli'],
]
// The embedded broker stands beside the rows: it shares the bytes and the message rules, nothing else.
const besideTheRows = { embedded: ['wire', 'message'], testing: ['embedded'] }

const pureFolders = ['wire', 'message', 'topology', 'embedded/model']
const pureFiles = '(^|/)(decide-|plan-|render-)[^/]*\\.ts$|-state\\.ts$'
const mayOpenSockets = ['broker', 'embedded/server', 'http-api']

const folder = (name) => `^src/${name}/`
const anyOf = (names) => `^src/(${names.join('|').replaceAll('.', '\\.')})(/|$)`
const tests = '\\.test\\.ts$'
const networkModules = '^(node:)?(net|tls|http|https|http2|dgram)$'

const rowRules = rows.flatMap((row, index) =>
  row.map((name) =>
    onlySees(name, [
      name,
      ...rows.slice(0, index).flat(),
      ...(name === 'cli' ? ['embedded', 'testing'] : []),
    ]),
  ),
)
const besideRules = Object.entries(besideTheRows).map(([name, seen]) => onlySees(name, [name, ...seen]))

function onlySees(name, seen) {
  return {
    name: `${name}-sees-only-its-left`,
    severity: 'error',
    from: { path: folder(name), pathNot: tests },
    to: { path: '^src/', pathNot: anyOf([...seen, ...leaves]) },
  }
}

export default {
  forbidden: [
    ...rowRules,
    ...besideRules,
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'leaves-import-nothing-of-ours',
      severity: 'error',
      from: { path: `^src/(${leaves.join('|').replaceAll('.', '\\.')})$` },
      to: { path: '^src/', pathNot: `^src/(${leaves.join('|').replaceAll('.', '\\.')})$` },
    },
    {
      name: 'pure-code-imports-no-module-of-node-and-no-package',
      severity: 'error',
      from: { path: `^src/(${pureFolders.join('|')})/|${pureFiles}`, pathNot: tests },
      to: {
        dependencyTypes: ['core', 'npm', 'npm-dev', 'npm-optional', 'npm-peer', 'npm-no-pkg', 'npm-unknown'],
      },
    },
    {
      name: 'sockets-are-opened-in-three-places',
      severity: 'error',
      from: { path: '^src/', pathNot: `^src/(${mayOpenSockets.join('|')})/|${tests}` },
      to: { path: networkModules, dependencyTypes: ['core'] },
    },
    {
      // One of another broker would be believed: only what is paired with a connection is proved to be its own.
      name: 'a-management-api-is-proved-before-it-is-asked',
      severity: 'error',
      from: { path: '^src/', pathNot: `^src/broker/management/|^src/cli/with-management\\.ts$|${tests}` },
      to: {
        path: '^src/broker/management/open-management\\.ts$',
        dependencyTypesNot: ['type-only'],
      },
    },
    { name: 'no-import-of-nothing', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'library-needs-no-dev-dependency',
      severity: 'error',
      from: { path: '^src/', pathNot: tests },
      to: { dependencyTypes: ['npm-dev'] },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
  },
}
