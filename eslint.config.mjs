// Biome formats and lints. Six of these rules need types, and each guards a confirm that nobody awaited.
import tseslint from 'typescript-eslint'

const noSpreadLiteral = {
  selector: ':matches(SpreadElement, JSXSpreadAttribute) > ObjectExpression',
  message: 'Write the properties one by one: a literal that is spread merges nothing.',
}

// What the library gets from outside comes through world.ts, so that the simulation can give it another world.
const world = 'Import it from world.ts: the library takes time, chance, sockets and files from there.'
const worldGlobals = [
  'setTimeout',
  'clearTimeout',
  'setInterval',
  'clearInterval',
  'setImmediate',
  'clearImmediate',
  'performance',
  'crypto',
]
const worldProperties = [
  ['Date', 'now'],
  ['Math', 'random'],
  ['AbortSignal', 'timeout'],
  ['process', 'nextTick'],
  ['process', 'hrtime'],
  ['globalThis', 'setTimeout'],
]
const worldImports = [
  ['node:timers'],
  ['node:timers/promises'],
  ['node:fs'],
  ['node:fs/promises'],
  ['node:dns'],
  ['node:child_process'],
  ['node:worker_threads'],
  ['node:perf_hooks'],
  ['node:os', 'hostname'],
  ['node:crypto', 'randomUUID', 'randomBytes', 'randomInt', 'getRandomValues', 'webcrypto'],
  ['node:net', 'connect', 'createConnection', 'Socket'],
  ['node:tls', 'connect', 'TLSSocket'],
  [
    'node:zlib',
    'deflateRaw',
    'inflateRaw',
    'gzip',
    'gunzip',
    'createInflateRaw',
    'createGzip',
    'createGunzip',
  ],
]

export default tseslint.config(
  {
    ignores: ['**/dist/**', 'coverage/**', 'node_modules/**', '.cache/**', 'packages/console/vite.config.ts'],
  },
  {
    files: ['**/*.ts', '**/*.tsx'],
    languageOptions: {
      parser: tseslint.parser,
      parserOptions: {
        project: [
          './tsconfig.json',
          './packages/console/tsconfig.json',
          './packages/nestjs/tsconfig.json',
          './examples/nestjs/tsconfig.json',
        ],
        tsconfigRootDir: import.meta.dirname,
      },
    },
    plugins: { '@typescript-eslint': tseslint.plugin },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/return-await': ['error', 'in-try-catch'],
      '@typescript-eslint/await-thenable': 'error',
      '@typescript-eslint/only-throw-error': 'error',
    },
  },
  {
    rules: {
      'no-restricted-syntax': ['error', noSpreadLiteral],
    },
  },
  {
    files: ['packages/warrenmq/src/**/*.ts'],
    ignores: ['**/*.test.ts', 'packages/warrenmq/src/world.ts'],
    rules: {
      'no-restricted-globals': ['error', ...worldGlobals.map((name) => ({ name, message: world }))],
      'no-restricted-properties': [
        'error',
        ...worldProperties.map(([object, property]) => ({ object, property, message: world })),
      ],
      'no-restricted-syntax': [
        'error',
        noSpreadLiteral,
        { selector: 'NewExpression[callee.name="Date"][arguments.length=0]', message: world },
      ],
      '@typescript-eslint/no-restricted-imports': [
        'error',
        {
          paths: worldImports.map(([name, ...importNames]) => ({
            name,
            ...(importNames.length > 0 && { importNames }),
            allowTypeImports: true,
            message: world,
          })),
        },
      ],
    },
  },
)
