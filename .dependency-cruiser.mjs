// The direction of imports, from the ordered list of folders in scripts/library-rooms.mjs.
import { roomRules } from './.dependency-cruiser.rooms.mjs'
import { besideTheRows, leaves as leafModules, rows } from './scripts/library-rooms.mjs'

const library = 'packages/warrenmq/src'
const cli = 'packages/cli/src'
const leaves = leafModules.map((name) => `${name}.ts`)
/** What users load. Nothing inside the library knows them. */
const doors = ['index.ts', 'operations.ts', 'testing.ts']

const pureFolders = ['wire', 'message', 'topology', 'embedded/model']
const pureFiles = '(^|/)(decide-|plan-|render-)[^/]*\\.ts$|-state\\.ts$'
const mayOpenSockets = [`${library}/broker`, `${library}/embedded/server`, `${cli}/http-api`]

const folder = (name) => `^${library}/${name}/`
const dotted = (names) => names.join('|').replaceAll('.', '\\.')
const anyOf = (names) => `^${library}/(${dotted(names)})(/|$)`
const tests = '\\.test\\.ts$'
const networkModules = '^(node:)?(net|tls|http|https|http2|dgram)$'

const rowRules = rows.flatMap((row, index) =>
  row.map((name) => onlySees(name, [name, ...rows.slice(0, index).flat()])),
)
const besideRules = Object.entries(besideTheRows).map(([name, seen]) => onlySees(name, [name, ...seen]))

function onlySees(name, seen) {
  return {
    name: `${name}-sees-only-its-left`,
    severity: 'error',
    from: { path: folder(name), pathNot: tests },
    to: { path: `^${library}/`, pathNot: anyOf([...seen, ...leaves]) },
  }
}

export default {
  forbidden: [
    ...rowRules,
    ...besideRules,
    ...roomRules,
    {
      // And what the embedded broker itself sees: a door exports every type that its own types mention.
      name: 'testing-sees-the-embedded-broker',
      severity: 'error',
      from: { path: `^${library}/testing\\.ts$` },
      to: { path: `^${library}/`, pathNot: anyOf(['embedded', ...besideTheRows.embedded, ...leaves]) },
    },
    {
      name: 'the-library-knows-neither-its-doors-nor-its-users',
      severity: 'error',
      from: { path: `^${library}/`, pathNot: tests },
      to: { path: `^${library}/(${dotted(doors)})$|^packages/(?!warrenmq/)` },
    },
    {
      name: 'the-command-line-comes-in-by-the-doors',
      severity: 'error',
      from: { path: `^${cli}/`, pathNot: tests },
      to: { path: `^${library}/`, pathNot: `^${library}/(${dotted(doors)})$` },
    },
    {
      name: 'nestjs-comes-in-by-the-doors',
      severity: 'error',
      from: { path: '^packages/nestjs/' },
      to: {
        path: '^packages/(?!nestjs/)',
        pathNot: `^${library}/(${dotted(doors)})$|^packages/cli/(src|dist)/mount-console\\.(ts|js|d\\.ts)$`,
      },
    },
    {
      name: 'the-http-api-does-not-know-the-command-line',
      severity: 'error',
      from: { path: `^${cli}/http-api/`, pathNot: tests },
      to: { path: `^${cli}/`, pathNot: `^${cli}/http-api/` },
    },
    {
      // It knows the server by its contract, from which schema.d.ts is made, and by nothing else.
      name: 'the-console-stands-alone',
      severity: 'error',
      from: { path: '^packages/console/' },
      to: { path: '^packages/(?!console/)' },
    },
    {
      name: 'nobody-imports-the-console',
      severity: 'error',
      from: { path: '^packages/(?!console/)' },
      to: { path: '^packages/console/' },
    },
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      // Of types, too: who imports a type knows its file.
      to: { circular: true },
    },
    {
      name: 'leaves-import-nothing-of-ours',
      severity: 'error',
      from: { path: `^${library}/(${dotted(leaves)})$` },
      to: { path: '^packages/', pathNot: `^${library}/(${dotted(leaves)})$` },
    },
    {
      name: 'pure-code-imports-no-module-of-node-and-no-package',
      severity: 'error',
      from: { path: `^${library}/(${pureFolders.join('|')})/|${pureFiles}`, pathNot: tests },
      to: {
        dependencyTypes: ['core', 'npm', 'npm-dev', 'npm-optional', 'npm-peer', 'npm-no-pkg', 'npm-unknown'],
      },
    },
    {
      name: 'pure-code-knows-no-world',
      severity: 'error',
      from: { path: `^${library}/(${pureFolders.join('|')})/|${pureFiles}`, pathNot: tests },
      to: { path: `^${library}/world\\.ts$` },
    },
    {
      name: 'sockets-are-opened-in-three-places',
      severity: 'error',
      from: {
        path: '^packages/',
        pathNot: `^(${mayOpenSockets.join('|')})/|^${library}/world\\.ts$|${tests}`,
      },
      to: { path: networkModules, dependencyTypes: ['core'] },
    },
    {
      // One of another broker would be believed: only what is paired with a connection is proved to be its own.
      name: 'a-management-api-is-proved-before-it-is-asked',
      severity: 'error',
      from: {
        path: `^${library}/`,
        pathNot: `^${library}/broker/management/|^${library}/operations\\.ts$|${tests}`,
      },
      to: {
        path: `^${library}/broker/management/open-management\\.ts$`,
        dependencyTypesNot: ['type-only'],
      },
    },
    { name: 'no-import-of-nothing', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'the-library-brings-no-package-along',
      severity: 'error',
      from: { path: `^${library}/`, pathNot: tests },
      to: { dependencyTypes: ['npm', 'npm-dev', 'npm-optional', 'npm-peer', 'npm-no-pkg', 'npm-unknown'] },
    },
    {
      name: 'what-is-published-needs-no-dev-dependency',
      severity: 'error',
      // The console is bundled. What a package expects of its users, Nest, is installed here to be compiled against.
      from: { path: '^packages/(?!console/)', pathNot: `${tests}|^packages/nestjs/test/` },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['npm-peer'] },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '/dist/' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
  },
}
