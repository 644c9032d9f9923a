import type { ReactNode } from 'react'
import { useForbidden } from '../app/use-session.ts'
import { Button } from '../parts/button.tsx'
import { ProblemNotice } from '../parts/notice.tsx'
import { TimeText } from '../parts/time-text.tsx'
import { useAcknowledge, useAcknowledgement } from './use-acknowledgement.ts'

/** Whether a person has read what became of the messages, and the way to say so. */
export function Acknowledgement({ task }: { readonly task: string }): ReactNode {
  const known = useAcknowledgement(task)
  const acknowledge = useAcknowledge(task)
  const forbidden = useForbidden('dlq:redrive')
  if (known)
    return (
      <p className="foreign text-quiet">
        Acknowledged by <bdi>{known.by}</bdi>, <TimeText at={known.at} />
        {known.text !== '' && `: “${known.text}”`}
      </p>
    )
  return (
    <>
      <Button
        onClick={() => acknowledge.mutate()}
        offBecause={forbidden ?? (acknowledge.isPending ? 'It has been sent.' : undefined)}
        hint="Tells everybody that you have read this receipt."
      >
        Acknowledge
      </Button>
      {acknowledge.error && <ProblemNotice error={acknowledge.error} />}
    </>
  )
}
