import type { Program } from './program.ts'

/** Leaves out what is not needed for a program to fail: whole stretches first, then one operation at a time. */
export async function shrinkProgram(
  program: Program,
  isFailing: (candidate: Program) => Promise<boolean>,
): Promise<Program> {
  let smallest = program
  for (let size = Math.ceil(program.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    smallest = await removeStretches(smallest, size, isFailing)
  }
  return smallest
}

async function removeStretches(
  program: Program,
  size: number,
  isFailing: (candidate: Program) => Promise<boolean>,
): Promise<Program> {
  let kept = program
  for (let at = kept.length - size; at >= 0; at -= 1) {
    const candidate = kept.toSpliced(at, size)
    if (candidate.length > 0 && (await isFailing(candidate))) {
      kept = candidate
      at = Math.min(at, kept.length - size + 1)
    }
  }
  return kept
}
