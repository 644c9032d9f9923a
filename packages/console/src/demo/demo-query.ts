import { queryOptions } from '@tanstack/react-query'
import { api } from '../api/api.ts'
import { dataOf } from '../api/api-problem.ts'

export const demoKey = ['demo'] as const

/** How the shop of the demo is; only a demo has one. */
export const demoQuery = () =>
  queryOptions({
    queryKey: demoKey,
    refetchInterval: 2_000,
    queryFn: async () => dataOf(await api.GET('/api/v1/demo')),
  })
