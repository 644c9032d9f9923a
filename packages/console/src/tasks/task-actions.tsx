import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { api, type Schemas } from '../api/api.ts'
import { dataOf } from '../api/api-problem.ts'
import { useForbidden } from '../app/use-session.ts'
import { Button } from '../parts/button.tsx'
import { ProblemNotice } from '../parts/notice.tsx'

type Step = 'pause' | 'resume' | 'cancel'

const steps: Readonly<Partial<Record<Schemas['Task']['state'], readonly Step[]>>> = {
  running: ['pause', 'cancel'],
  paused: ['resume', 'cancel'],
  interrupted: ['resume'],
}
const words: Readonly<Record<Step, readonly [string, string]>> = {
  pause: ['Pause', 'Starts no more messages. Those in flight are finished.'],
  resume: ['Resume', 'Continues with the messages that are left.'],
  cancel: ['Cancel', 'Messages in flight are finished; the rest stay in the queue.'],
}

/** What can be done with a task now. */
export function TaskActions({ task: { id, kind, state } }: { readonly task: Schemas['Task'] }): ReactNode {
  const forbidden = useForbidden('dlq:redrive')
  const steer = useMutation({
    mutationFn: async (step: Step) =>
      dataOf(await api.POST(`/api/v1/tasks/{id}/${step}`, { params: { path: { id } } })),
  })
  return (
    <>
      {steer.error && (
        <div className="w-full">
          <ProblemNotice error={steer.error} />
        </div>
      )}
      {steps[state]
        ?.filter((step) => kind === 'redrive' || step === 'cancel')
        .map((step) => {
          const [name, hint] = words[step]
          return (
            <Button key={step} onClick={() => steer.mutate(step)} offBecause={forbidden} hint={hint}>
              {name}
            </Button>
          )
        })}
    </>
  )
}
