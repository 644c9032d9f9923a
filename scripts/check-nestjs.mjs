// Builds and tests examples/nestjs twice, as users would have it, from the packed packages: as a Nest 11 project of
// CommonJS with Jest, and as a Nest 12 project of ES modules with vitest. Nest and the runners come from the registry.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { packPackage } from './pack-package.mjs'

const projects = [
  {
    name: 'nest-11',
    type: 'commonjs',
    globals: 'jest',
    packages: [...nest('11.2.10', '11.2.6'), 'jest@29.7.0', '@types/jest@29.5.14'],
    test: ['jest', 'dist'],
  },
  {
    name: 'nest-12',
    type: 'module',
    globals: 'vitest/globals',
    packages: [...nest('12.5.0', '12.1.1'), 'vitest@4.1.12'],
    test: ['vitest', 'run', '--globals', '--dir', 'dist'],
  },
]

function nest(version, testing = version) {
  return [
    `@nestjs/common@${version}`,
    `@nestjs/core@${version}`,
    `@nestjs/testing@${testing}`,
    'reflect-metadata@0.2.2',
    'rxjs@7.8.2',
    '@types/node@20.19.43',
  ]
}

const directory = mkdtempSync(join(tmpdir(), 'warrenmq-nestjs-'))
try {
  const tarballs = ['packages/warrenmq', 'packages/nestjs'].map(
    (folder) => packPackage(folder, directory).tarball,
  )
  for (const project of projects) tryProject(project, tarballs)
} catch (error) {
  // The tool has said on the terminal what it found.
  console.error(error.message)
  process.exitCode = 1
} finally {
  rmSync(directory, { recursive: true, force: true })
}

function tryProject({ name, type, globals, packages, test }, tarballs) {
  console.log(`\n${name}: ${packages.join(' ')}`)
  const folder = join(directory, name)
  mkdirSync(folder)
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, private: true, type }))
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(compilerOptions(globals)))
  cpSync('examples/nestjs/src', join(folder, 'src'), { recursive: true })
  run('npm', ['install', '--no-audit', '--no-fund', ...packages, ...tarballs], folder)
  run(process.execPath, [resolve('node_modules/typescript/bin/tsc')], folder)
  run('npx', ['--no-install', ...test], folder)
}

/** As `nest new` writes it, and strict. */
function compilerOptions(globals) {
  return {
    compilerOptions: {
      target: 'es2023',
      module: 'node16',
      rootDir: 'src',
      outDir: 'dist',
      strict: true,
      experimentalDecorators: true,
      emitDecoratorMetadata: true,
      types: ['node', globals],
      skipLibCheck: true,
    },
    include: ['src'],
  }
}

function run(program, args, cwd) {
  execFileSync(program, args, { cwd, stdio: 'inherit', env: { ...process.env, CI: 'true' } })
}
