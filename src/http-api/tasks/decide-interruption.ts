import type { Task } from '../contract.ts'

/**
 * What a task has done whose server is gone. The server told its counts every now and then; what it moved after
 * that is missing in the queue. Messages that came in meanwhile hide as many that left, so this is the least that
 * was moved, and exact where none came in.
 * @param depth ready messages once all that the server held are back; undefined where the queue is gone
 */
export function countInterrupted(progress: Task['progress'], depth: number | undefined): Task['progress'] {
  if (depth === undefined) return progress
  return { ...progress, moved: Math.max(progress.moved, progress.present - depth) }
}
