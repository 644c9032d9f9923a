import { QueryClient } from '@tanstack/react-query'
import { ApiProblem } from './api-problem.ts'

/** All that is known of the server. */
export const queryClient: QueryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // What the server has refused, it refuses again. What did not reach it may do so next time.
      retry: (failures, error) => failures < 3 && !(error instanceof ApiProblem && error.status < 500),
    },
  },
})
