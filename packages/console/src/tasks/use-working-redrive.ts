import { useQuery } from '@tanstack/react-query'
import type { Schemas } from '../api/api.ts'
import { queries } from '../api/queries.ts'
import { isOver } from './balance.ts'

/** The re-drive that works on a queue now, which lets nobody else look at it. */
export function useWorkingRedrive(queue: string): Schemas['Task'] | undefined {
  const { data: tasks = [] } = useQuery(queries.tasks())
  return tasks.find((task) => task.kind === 'redrive' && task.queue === queue && !isOver(task))
}
