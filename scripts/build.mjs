// Builds the packages in the order in which they need each other.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import ts from 'typescript'
import { assembleLibrary } from './assemble-library.mjs'
import { buildConsole } from './build-console.mjs'
import { pruneOutput } from './prune-output.mjs'

const compiled = '.cache/build/warrenmq'

pruneOutput({ output: compiled, sources: 'packages/warrenmq/src' })
compile('packages/warrenmq')
await assembleLibrary({
  from: compiled,
  dist: 'packages/warrenmq/dist',
  doors: ['index', 'operations', 'testing'],
  programs: ['moved'],
})
pruneOutput({ output: 'packages/cli/dist', sources: 'packages/cli/src', except: 'console/' })
compile('packages/cli')
// The command needs no types; the door through which other programs mount its console does.
for (const file of ['mount-console', 'http-api/mounted-server']) describeTypes('packages/cli', file)
// Nest 12 is ES modules and Nest 11 is CommonJS, so whichever it is finds a build of its own kind.
compile('packages/nestjs')
compile('packages/nestjs', 'tsconfig.cjs.json')
writeFileSync('packages/nestjs/dist/cjs/package.json', '{ "type": "commonjs" }\n')
await buildConsole({ sources: 'packages/console', output: 'packages/cli/dist/console' })

function describeTypes(folder, file) {
  const source = readFileSync(`${folder}/src/${file}.ts`, 'utf8')
  const compilerOptions = { isolatedDeclarations: true, declaration: true, module: ts.ModuleKind.NodeNext }
  const { outputText } = ts.transpileDeclaration(source, { compilerOptions, fileName: `${file}.ts` })
  writeFileSync(`${folder}/dist/${file}.d.ts`, outputText)
}

function compile(folder, project = 'tsconfig.build.json') {
  const compiler = 'node_modules/typescript/bin/tsc'
  try {
    execFileSync(process.execPath, [compiler, '-p', `${folder}/${project}`], { stdio: 'inherit' })
  } catch (error) {
    // The compiler has said what is wrong.
    process.exit(error.status ?? 1)
  }
}
